/* SPDX-License-Identifier: MIT */
/* The actions of a window and which of them are enabled. */
#pragma once

#include "ui/window/window.h"

void ms_window_add_actions(MsWindow *self);
void ms_window_update_actions(MsWindow *self);
