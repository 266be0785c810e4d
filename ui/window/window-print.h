/* SPDX-License-Identifier: MIT */
/* Prints the filtered picture. */
#pragma once

#include "ui/window/window.h"

GtkPrintOperation *ms_window_new_print_operation(MsWindow *self);
void ms_window_print(MsWindow *self);
