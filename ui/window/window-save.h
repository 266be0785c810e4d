/* SPDX-License-Identifier: MIT */
/* Saves and copies the results of a window. */
#pragma once

#include "ui/window/window.h"

void ms_window_copy_picture(MsWindow *self);
void ms_window_copy_command(MsWindow *self);
void ms_window_save(MsWindow *self);
void ms_window_save_as(MsWindow *self);
char *ms_window_get_command_line(MsWindow *self);
