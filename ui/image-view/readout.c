/* SPDX-License-Identifier: MIT */
#include "ui/image-view/readout.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/image/colour/colour.h"

static int
distance(const guint8 *p, const guint8 *q)
{
  int sum = 0;

  for (int k = 0; k < 3; k++)
    sum += (p[k] - q[k]) * (p[k] - q[k]);
  return sum;
}

/** ms_readout_window: the window of @source around a pixel, clipped at the border as the opencv rule does. */
MsWindowStatistics
ms_readout_window(MsImage *source, const MsParams *params, int x, int y)
{
  MsFilterNumbers numbers = ms_params_numbers(params);
  int width = ms_image_get_width(source), height = ms_image_get_height(source), radius = (int)rint(params->sp);
  const guint8 *pixels = ms_image_get_pixels(source), *middle = pixels + ((gsize)y * width + x) * 4;
  MsWindowStatistics result = {0};

  for (int v = MAX(y - radius, 0); v <= MIN(y + radius, height - 1); v++)
    for (int u = MAX(x - radius, 0); u <= MIN(x + radius, width - 1); u++) {
      const guint8 *p = pixels + ((gsize)v * width + u) * 4;
      result.pixels++;
      if (distance(p, middle) > numbers.isr2)
        continue;
      result.similar++;
      for (int k = 0; k < 3; k++)
        result.mean[k] += p[k];
    }
  for (int k = 0; k < 3 && result.similar > 0; k++)
    result.mean[k] /= result.similar;
  return result;
}

static void
append_value(GString *text, const guint8 *p)
{
  g_string_append_printf(text, "%d %d %d", p[0], p[1], p[2]);
  if (p[3] != 255)
    g_string_append_printf(text, " · %d", p[3]);
}

/* The space of the stored values, which the window converts to that of the screen only for drawing. */
static void
append_space(GString *text, MsImage *image)
{
  const MsMetadata *metadata = ms_image_get_metadata(image);
  GBytes *icc = metadata ? metadata->icc : NULL;
  g_autofree char *name = icc ? ms_colour_dup_name(icc) : NULL;

  g_string_append_printf(text, "  %s", name ? name : icc ? _("unnamed profile") : "sRGB");
}

/**
 * ms_readout_format:
 * @a: the picture of side A, whose window is described
 * @b: (nullable): the pixel of side B, where it is known
 */
char *
ms_readout_format(MsImage *a, const guint8 *b, const MsParams *params, int x, int y)
{
  const guint8 *p = ms_image_get_pixels(a) + ((gsize)y * ms_image_get_width(a) + x) * 4;
  MsWindowStatistics window = ms_readout_window(a, params, x, y);
  GString *text = g_string_new(NULL);

  g_string_append_printf(text, "%d, %d    ", x, y);
  append_value(text, p);
  g_string_append(text, " → ");
  if (b)
    append_value(text, b);
  else
    g_string_append(text, "…");
  append_space(text, a);
  g_string_append_printf(text, _("    window: %d of %d alike (%.0f %%), mean %.0f %.0f %.0f"), window.similar,
                         window.pixels, 100.0 * window.similar / window.pixels, window.mean[0], window.mean[1],
                         window.mean[2]);
  return g_string_free(text, FALSE);
}
