/* SPDX-License-Identifier: MIT */
/* Writes a report as CSV. */
#pragma once

#include "core/lab/report/report.h"

char *ms_report_to_csv(const MsReport *self);
