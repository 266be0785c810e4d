/* SPDX-License-Identifier: MIT */
/* Profiles of monitors as the colour manager colord keeps them, for systems without an X server. */
#pragma once

#include <gio/gio.h>

void ms_colord_find_async(const char *model, GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user_data);
GBytes *ms_colord_find_finish(GAsyncResult *result);
