/* SPDX-License-Identifier: MIT */
/* MsReportView: a report as table and chart, with export; used by the pages Experiments, Learn, Compare and Tune. */
#pragma once

#include <gtk/gtk.h>

#include "core/lab/report/report.h"

#define MS_TYPE_REPORT_VIEW (ms_report_view_get_type())
/* Signals: "row-chosen" (guint): the row of the report that was activated; "problem" (GError *): an export failed. */
G_DECLARE_FINAL_TYPE(MsReportView, ms_report_view, MS, REPORT_VIEW, GtkBin)

void ms_report_view_put_beside(MsReportView *self);
void ms_report_view_set_report(MsReportView *self, MsReport *report);
void ms_report_view_set_chart(MsReportView *self, MsChart *chart, const char *name);
MsReport *ms_report_view_get_report(MsReportView *self);
int ms_report_view_get_selected(MsReportView *self);
void ms_report_view_export_to(MsReportView *self, const char *path);
