/* SPDX-License-Identifier: MIT */
#include "core/reduce/image-comparison.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/json.h"

static void
complete_comparison(MsImageComparison *comparison)
{
  double samples = 3.0 * (double)MAX(comparison->pixels, 1);
  guint64 absolute = comparison->absolute[0] + comparison->absolute[1] + comparison->absolute[2];
  guint64 squared = comparison->squared[0] + comparison->squared[1] + comparison->squared[2];

  comparison->mean_absolute = (double)absolute / samples;
  comparison->psnr = squared == 0 ? INFINITY : 10.0 * log10(255.0 * 255.0 * samples / (double)squared);
}

static gboolean
same_size(MsImage *a, MsImage *b, GError **error)
{
  if (ms_image_get_width(a) == ms_image_get_width(b) && ms_image_get_height(a) == ms_image_get_height(b))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "Images of %d x %d and %d x %d pixels cannot be compared; they need the same size.",
               ms_image_get_width(a), ms_image_get_height(a), ms_image_get_width(b), ms_image_get_height(b));
  return FALSE;
}

/* The pixels that have the same value without data in both images, which the difference does not depend on. */
static guint64
count_no_data(MsImage *a, MsImage *b)
{
  const guint8 *p = ms_image_get_pixels(a), *q = ms_image_get_pixels(b), *end = p + ms_image_get_byte_size(a);
  guint64 count = 0;
  guint8 value;

  if (!ms_image_get_no_data(a, &value))
    return 0;
  for (; p < end; p += 4, q += 4)
    count += ms_pixel_lacks_data(p, value) && memcmp(p, q, 4) == 0;
  return count;
}

/** ms_image_comparison_of_pixels: the comparison of all pixels. */
void
ms_image_comparison_of_pixels(const guint8 *a, const guint8 *b, guint64 n_pixels, MsImageComparison *comparison)
{
  memset(comparison, 0, sizeof *comparison);
  comparison->pixels = n_pixels;
  for (guint64 i = 0; i < n_pixels; i++) {
    gboolean changed = FALSE;
    for (int c = 0; c < 4; c++) {
      guint apart = (guint)ABS((int)a[4 * i + c] - (int)b[4 * i + c]);
      comparison->absolute[c] += apart;
      comparison->squared[c] += apart * apart;
      comparison->max_difference = MAX(comparison->max_difference, apart);
      changed |= apart > 0;
    }
    comparison->changed += changed;
  }
  complete_comparison(comparison);
}

/**
 * ms_image_comparison:
 *
 * Compares the pixels that have data in one of two images.
 *
 * Returns: %FALSE with #MS_ERROR, _USAGE when their sizes differ
 */
gboolean
ms_image_comparison(MsImage *a, MsImage *b, MsImageComparison *comparison, GError **error)
{
  memset(comparison, 0, sizeof *comparison);
  if (!same_size(a, b, error))
    return FALSE;
  ms_image_comparison_of_pixels(ms_image_get_pixels(a), ms_image_get_pixels(b), ms_image_get_byte_size(a) / 4,
                                comparison);
  comparison->pixels -= count_no_data(a, b);
  complete_comparison(comparison);
  return TRUE;
}

/** ms_image_comparison_add: merges @other into @self, as if their pixels had been compared together. */
void
ms_image_comparison_add(MsImageComparison *self, const MsImageComparison *other)
{
  for (int c = 0; c < 4; c++) {
    self->absolute[c] += other->absolute[c];
    self->squared[c] += other->squared[c];
  }
  self->pixels += other->pixels;
  self->changed += other->changed;
  self->max_difference = MAX(self->max_difference, other->max_difference);
  complete_comparison(self);
}

/** ms_image_comparison_to_text: (transfer full): one value a line. */
char *
ms_image_comparison_to_text(const MsImageComparison *self)
{
  char mean[G_ASCII_DTOSTR_BUF_SIZE], psnr[G_ASCII_DTOSTR_BUF_SIZE];
  GString *text = g_string_new(NULL);

  g_string_append_printf(text, "changed pixels:       %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "\n", self->changed,
                         self->pixels);
  g_string_append_printf(text, "largest difference:   %u\nmean abs. difference: %s\nPSNR:                 %s dB\n",
                         self->max_difference, g_ascii_formatd(mean, sizeof mean, "%.6f", self->mean_absolute),
                         g_ascii_formatd(psnr, sizeof psnr, "%.3f", self->psnr));
  return g_string_free(text, FALSE);
}

/** ms_image_comparison_add_json: adds an object; the PSNR of equal images, which is infinite, is null. */
void
ms_image_comparison_add_json(const MsImageComparison *self, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  ms_json_add_integer(builder, "pixels", (gint64)self->pixels);
  ms_json_add_integer(builder, "changed_pixels", (gint64)self->changed);
  ms_json_add_integer(builder, "max_difference", self->max_difference);
  ms_json_add_number(builder, "mean_absolute_difference", self->mean_absolute);
  ms_json_add_number(builder, "psnr_db", self->psnr);
  json_builder_end_object(builder);
}
