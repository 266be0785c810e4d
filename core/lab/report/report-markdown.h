/* SPDX-License-Identifier: MIT */
/* Writes a report as Markdown. */
#pragma once

#include "core/lab/report/report.h"

char *ms_report_to_markdown(const MsReport *self);
