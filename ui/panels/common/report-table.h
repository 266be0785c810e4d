/* SPDX-License-Identifier: MIT */
/* The cells of a report in a tree view: columns as the report has them, sortable by number or word. */
#pragma once

#include <gtk/gtk.h>

#include "core/lab/report/report.h"

G_BEGIN_DECLS

void ms_report_table_show(GtkTreeView *tree, const MsReport *report);
int ms_report_table_row_at(GtkTreeView *tree, GtkTreePath *path);

G_END_DECLS
