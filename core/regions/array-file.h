/* SPDX-License-Identifier: MIT */
/* Writes an array with a number or several for each pixel: a .npy file of NumPy, or a PNG of 16 bits a channel. */
#pragma once

#include <gio/gio.h>

/**
 * MsPixelArray: numbers for each pixel.
 * @channels: numbers of a pixel; 1 or 2 in a PNG (grey, or grey and alpha), any in .npy
 * @largest: the largest of @numbers
 */
typedef struct {
  const guint32 *numbers;
  int width;
  int height;
  int channels;
  guint32 largest;
} MsPixelArray;

gboolean ms_array_file_save(const char *path, const MsPixelArray *array, gboolean overwrite, GCancellable *cancellable,
                            GError **error);
