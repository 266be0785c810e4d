/* SPDX-License-Identifier: MIT */
/* How two images of one size differ, and that as text and JSON; numbers in the C locale. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/image/common/image.h"

/**
 * MsImageComparison: the difference of two images of one size, over R, G and B, since alpha is not filtered.
 * @pixels: those compared: without those that have no data in both
 * @mean_absolute: mean of |a - b| over all pixels and the three colours
 * @psnr: 10 log10(255² / mean squared difference) in dB, +infinity for equal images
 * @changed: pixels of which any of the four channels differs
 * @max_difference: over all four channels
 */
typedef struct {
  guint64 pixels;
  guint64 absolute[4];
  guint64 squared[4];
  double mean_absolute;
  double psnr;
  guint64 changed;
  guint max_difference;
} MsImageComparison;

gboolean ms_image_comparison(MsImage *a, MsImage *b, MsImageComparison *comparison, GError **error);
void ms_image_comparison_add(MsImageComparison *self, const MsImageComparison *other);
void ms_image_comparison_of_pixels(const guint8 *a, const guint8 *b, guint64 n_pixels, MsImageComparison *comparison);
char *ms_image_comparison_to_text(const MsImageComparison *self);
void ms_image_comparison_add_json(const MsImageComparison *self, JsonBuilder *builder);
