/* SPDX-License-Identifier: MIT */
/* Writes a report as Markdown. */
#pragma once

#include "core/lab/report/report.h"

G_BEGIN_DECLS

char *ms_report_to_markdown(const MsReport *self);

G_END_DECLS
