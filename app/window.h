/* SPDX-License-Identifier: MIT */
/* Hands over to the window, which is a program of its own so that GTK is not loaded where nobody looks. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void ms_window_run(char **images, GError **error);

G_END_DECLS
