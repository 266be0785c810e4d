/* SPDX-License-Identifier: MIT */
#include "core/filter/no-data.h"

#include <string.h>

/**
 * ms_no_data_find:
 * @rows: of @source, those that are in memory
 *
 * Returns: (transfer full) (nullable): the pixels of @rows without data, %NULL where all have some
 */
MsNoData *
ms_no_data_find(MsImage *source, MsRows rows)
{
  const gsize width = (gsize)ms_image_get_width(source), n = width * (gsize)rows.count;
  guint8 value = 0;

  if (!ms_image_get_no_data(source, &value))
    return NULL;
  const guint8 *pixel = ms_image_get_pixels(source) + (gsize)rows.first * width * 4;
  g_autofree guint8 *absent = g_malloc(n);
  gsize count = 0;

  for (gsize i = 0; i < n; i++, pixel += 4)
    count += absent[i] = ms_pixel_lacks_data(pixel, value);
  if (count == 0)
    return NULL;
  MsNoData *self = g_new(MsNoData, 1);
  *self = (MsNoData){g_steal_pointer(&absent), rows, (int)width};
  return self;
}

void
ms_no_data_free(MsNoData *self)
{
  if (!self)
    return;
  g_free(self->absent);
  g_free(self);
}

/** ms_no_data_place_modes: @modes: (inout): of the whole picture; pixels without data rest where they are. */
void
ms_no_data_place_modes(const MsNoData *self, guint16 *modes)
{
  for (int y = 0; y < self->rows.count; y++)
    for (int x = 0; x < self->width; x++) {
      const gsize i = (gsize)y * self->width + x;
      guint16 *mode = modes + 2 * (i + (gsize)self->rows.first * self->width);
      if (!self->absent[i])
        continue;
      mode[0] = (guint16)x;
      mode[1] = (guint16)(self->rows.first + y);
    }
}

/**
 * ms_no_data_restore:
 * @region: of @source, whose rows lie within those of @self
 * @pixels: (inout): of the region: those without data get the source's again
 */
void
ms_no_data_restore(const MsNoData *self, MsImage *source, const MsRegion *region, guint8 *pixels)
{
  for (int y = region->y; y < region->y + region->height; y++) {
    const guint8 *absent = self->absent + (gsize)(y - self->rows.first) * self->width;
    const guint8 *row = ms_image_get_pixels(source) + (gsize)y * self->width * 4;
    for (int x = region->x; x < region->x + region->width; x++, pixels += 4)
      if (absent[x])
        memcpy(pixels, row + (gsize)x * 4, 4);
  }
}
