/* SPDX-License-Identifier: MIT */
/* Shows the other pictures of the folder that the current one is in. */
#pragma once

#include "ui/window/window.h"

void ms_window_open_in_place(MsWindow *self, GFile *file);
void ms_window_open_neighbour(MsWindow *self, int step);
void ms_window_replace(MsWindow *self);
