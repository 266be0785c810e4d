/* SPDX-License-Identifier: MIT */
/* Two buttons that copy a table of a panel to the clipboard and write it as CSV. */
#pragma once

#include "ui/panels/common/panel.h"

GtkWidget *ms_table_export_new(MsPanel *panel, GtkTreeView *tree, const char *name);
