/* SPDX-License-Identifier: MIT */
/* Connects the title, progress, readout and zoom of a window to the picture in its current tab. */
#pragma once

#include "ui/window/window.h"

void ms_window_set_front(MsWindow *self, MsImageView *view);
void ms_window_leave_front(MsWindow *self);
void ms_window_update_title(MsWindow *self);
void ms_window_update_progress(MsWindow *self);
