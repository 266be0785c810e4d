/* SPDX-License-Identifier: MIT */
/* Reports for LaTeX: a table of each, and a document of all with their charts. */
#pragma once

#include "core/lab/report/report.h"

char *ms_latex_escape(const char *text);
char *ms_report_to_latex(const MsReport *self);
char *ms_reports_to_latex_document(GPtrArray *reports);
extern const char ms_latex_bibliography[];
