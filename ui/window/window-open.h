/* SPDX-License-Identifier: MIT */
/* Opens images in a window, from files, samples, drops and the clipboard. */
#pragma once

#include "ui/window/window.h"

void ms_window_choose_files(MsWindow *self);
void ms_window_add_recent_menu(MsWindow *self);
void ms_window_paste(MsWindow *self);
void ms_window_accept_drops(MsWindow *self);
void ms_window_open_sample(MsWindow *self);
void ms_window_open(MsWindow *self, GFile *file);
gboolean ms_window_is_opening(MsWindow *self);
