/* SPDX-License-Identifier: MIT */
/* The workspaces of a window. */
#pragma once

#include "ui/window/window.h"

void ms_window_add_workspaces(MsWindow *self);
void ms_window_show_workspace(MsWindow *self, const char *name);
void ms_window_update_lab_settings(MsWindow *self);
