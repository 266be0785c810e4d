/* SPDX-License-Identifier: MIT */
/* Writes an array with a number or several for each pixel: a .npy file of NumPy, or a PNG of 16 bits a channel. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** MsArrayShape: @channels: numbers of a pixel; 1 or 2 in a PNG (grey, or grey and alpha), any in .npy */
typedef struct {
  int width;
  int height;
  int channels;
} MsArrayShape;

gboolean ms_array_file_save(const char *path, const guint32 *numbers, MsArrayShape shape, guint32 largest,
                            gboolean overwrite, GCancellable *cancellable, GError **error);

G_END_DECLS
