/* SPDX-License-Identifier: MIT */
/* MsLoadRow: the progress of loading a picture: its name, a preview, the decoded share, and a button that cancels. */
#pragma once

#include <gtk/gtk.h>

#include "core/image/common/image.h"

#define MS_TYPE_LOAD_ROW (ms_load_row_get_type())
G_DECLARE_FINAL_TYPE(MsLoadRow, ms_load_row, MS, LOAD_ROW, GtkBox)

GtkWidget *ms_load_row_new(const char *name, GCancellable *cancellable);
void ms_load_row_set_fraction(MsLoadRow *self, double fraction);
void ms_load_row_set_preview(MsLoadRow *self, MsImage *preview);
