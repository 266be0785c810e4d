/* SPDX-License-Identifier: MIT */
#include "ui/document/region-picture.h"

/* Consecutive labels get colours that are easily distinguished. */
static MsImage *
paint_labels(const MsSegmentation *segmentation)
{
  const gsize n = (gsize)segmentation->width * segmentation->height;
  guint8 *pixels = g_malloc(n * 4);

  for (gsize i = 0; i < n; i++) {
    const guint32 colour = segmentation->labels[i] * 2654435769u;
    pixels[4 * i] = (guint8)(colour >> 24);
    pixels[4 * i + 1] = (guint8)(colour >> 16);
    pixels[4 * i + 2] = (guint8)(colour >> 8);
    pixels[4 * i + 3] = 255;
  }
  return ms_image_new_take(segmentation->width, segmentation->height, pixels, NULL);
}

/** ms_region_picture_paint: (transfer full): the size of @source, from which @segmentation and @table come. */
MsImage *
ms_region_picture_paint(MsRegionPicture self, const MsSegmentation *segmentation, const MsSegmentTable *table,
                        MsImage *source)
{
  switch (self) {
  case MS_REGION_PICTURE_OUTLINES:
    return ms_segmentation_outline(segmentation, source);
  case MS_REGION_PICTURE_LABELS:
    return paint_labels(segmentation);
  case MS_REGION_PICTURE_MEANS:
    return ms_segment_table_paint(table, segmentation, source);
  case MS_N_REGION_PICTURES:
    break;
  }
  g_assert_not_reached();
}
