/* SPDX-License-Identifier: MIT */
/* Restores and stores the size and layout of a window. */
#pragma once

#include "ui/window/window.h"

void ms_window_show_only_picture(MsWindow *self, gboolean only_picture);
void ms_window_restore_state(MsWindow *self);
void ms_window_remember_state(MsWindow *self);
