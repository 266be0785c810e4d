/* SPDX-License-Identifier: MIT */
/* Shows in a window what its current tab shows: title, progress, readout and zoom. */
#pragma once

#include "ui/window/window.h"

G_BEGIN_DECLS

void ms_window_set_front(MsWindow *self, MsImageView *view);
void ms_window_leave_front(MsWindow *self);
void ms_window_update_title(MsWindow *self);
void ms_window_update_progress(MsWindow *self);

G_END_DECLS
