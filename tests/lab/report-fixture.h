/* SPDX-License-Identifier: MIT */
/* A report of invented values, for the tests of its formats, files and charts. */
#pragma once

#include "core/lab/report/report.h"

MsReport *ms_report_fixture_new(double factor);
void ms_report_fixture_fill_row(MsReport *report, guint index, double ms);
MsReport *ms_report_fixture_read(const char *text, gssize length, GError **error);
const MsReportRow *ms_report_fixture_row(const MsReport *report, guint index);
