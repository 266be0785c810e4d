/* SPDX-License-Identifier: MIT */
/* A report in a tree view: the report's columns, sortable by number or text. */
#pragma once

#include <gtk/gtk.h>

#include "core/lab/report/report.h"

void ms_report_table_show(GtkTreeView *tree, const MsReport *report);
int ms_report_table_row_at(GtkTreeView *tree, GtkTreePath *path);
