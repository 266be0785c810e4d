/* SPDX-License-Identifier: MIT */
/*
 * Writes an array with a number or several for each pixel: a .npy file of NumPy, a PNG of 16 bits a channel, or
 * a TIFF of 32 bits with its place on the map.
 */
#pragma once

#include <gio/gio.h>

#include "core/image/metadata/geo.h"

/**
 * MsPixelArray: numbers for each pixel.
 * @channels: numbers of a pixel; 1 or 2 in a PNG (grey, or grey and alpha), 1 in a TIFF, any in .npy
 * @largest: the largest of @numbers
 * @geo: (nullable): the place on the map, which a TIFF keeps
 */
typedef struct {
  const guint32 *numbers;
  int width;
  int height;
  int channels;
  guint32 largest;
  const MsGeo *geo;
} MsPixelArray;

gboolean ms_array_file_check(const char *path, int channels, GError **error);
gboolean ms_array_file_keeps_place(const char *path);
gboolean ms_array_file_save(const char *path, const MsPixelArray *array, gboolean overwrite, GCancellable *cancellable,
                            GError **error);
