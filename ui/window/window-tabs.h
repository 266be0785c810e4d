/* SPDX-License-Identifier: MIT */
/* The tabs of a window. */
#pragma once

#include "ui/window/window.h"

void ms_window_tab_switched(MsWindow *self);
void ms_window_tabs_changed(MsWindow *self);
void ms_window_tab_removed(MsWindow *self, GtkWidget *view);
void ms_window_cancel_tabs(MsWindow *self);
void ms_window_add_in_order(MsWindow *self, MsImage *image, GFile *file, const char *title, guint order);
void ms_window_add_image(MsWindow *self, MsImage *image, GFile *file, const char *title);
void ms_window_close_tab(MsWindow *self);
void ms_window_close_view(GtkWidget *view);
MsImageView *ms_window_get_view(MsWindow *self);
guint ms_window_get_n_documents(MsWindow *self);
