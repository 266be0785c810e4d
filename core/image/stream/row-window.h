/* SPDX-License-Identifier: MIT */
/* MsRowWindow: addresses for all rows of an image, of which only the rows in use take memory. */
#pragma once

#include <glib.h>

typedef struct _MsRowWindow MsRowWindow;

MsRowWindow *ms_row_window_new(int width, int height, GError **error);
GBytes *ms_row_window_get_bytes(MsRowWindow *self);
gboolean ms_row_window_hold(MsRowWindow *self, int end, GError **error);
guint8 *ms_row_window_get_row(MsRowWindow *self, int y);
void ms_row_window_drop(MsRowWindow *self, int end);
void ms_row_window_drop_all(MsRowWindow *self);
void ms_row_window_free(MsRowWindow *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsRowWindow, ms_row_window_free)
