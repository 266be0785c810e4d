/* SPDX-License-Identifier: MIT */
/* Starts the window, which is a separate program so that headless runs do not load GTK. */
#pragma once

#include <glib.h>

void ms_window_run(const char *const *images, GError **error);
