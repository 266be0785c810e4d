/* SPDX-License-Identifier: MIT */
/* The table of a report in a tree view, for MsReportView. */
#pragma once

#include <gtk/gtk.h>

#include "core/lab/report/report.h"

void ms_report_table_show(GtkTreeView *tree, const MsReport *report);
int ms_report_table_row_at(GtkTreeModel *model, GtkTreeIter *iter);
int ms_report_table_selected(GtkTreeView *tree);
void ms_report_table_select(GtkTreeView *tree, int row);
