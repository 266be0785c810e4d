/* SPDX-License-Identifier: MIT */
/* Writes a report as a table of text. */
#pragma once

#include "core/lab/report/report.h"

char *ms_report_published_text(const MsReportRow *row);
GPtrArray *ms_report_table(const MsReport *self, MsLanguage language);
char *ms_report_device(const MsReport *self, MsLanguage language);
char *ms_report_heading(const MsReport *self, MsLanguage language);
char *ms_report_footer(const MsReport *self, MsLanguage language);
char *ms_report_to_text(const MsReport *self);
