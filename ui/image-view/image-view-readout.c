/* SPDX-License-Identifier: MIT */
#include "ui/image-view/image-view-readout.h"

#include "ui/document/document-filter.h"
#include "ui/document/document-runs.h"
#include "ui/document/document-settings.h"
#include "ui/image-view/image-view-private.h"
#include "ui/image-view/image-view-zoom.h"
#include "ui/image-view/readout.h"

static const guint8 *
pixel_of(MsImage *image, const MsRegion *region, int x, int y)
{
  x -= region->x;
  y -= region->y;
  if (x < 0 || y < 0 || x >= region->width || y >= region->height)
    return NULL;
  return ms_image_get_pixels(image) + ((gsize)y * region->width + x) * 4;
}

static const guint8 *
filtered_pixel(MsImageView *self, int x, int y)
{
  GPtrArray *pieces = ms_document_get_pieces(self->document);
  MsImage *image = ms_document_get_picture_b(self->document);

  for (guint i = pieces->len; i-- > 0 && !ms_document_get_run_b(self->document);) {
    const MsPiece *piece = g_ptr_array_index(pieces, i);
    const guint8 *found = pixel_of(piece->image, &piece->region, x, y);
    if (found)
      return found;
  }
  if (!image)
    return NULL;
  MsRegion extent = ms_image_get_extent(image);
  return pixel_of(image, &extent, x, y);
}

static char *
readout_at_pointer(MsImageView *self)
{
  MsImage *a = ms_document_get_picture_a(self->document);
  double pane_x, pane_y, x, y;

  ms_image_view_pointer_in_pane(self, &pane_x, &pane_y);
  ms_view_geometry_to_picture(&self->geometry, pane_x, pane_y, &x, &y);
  if (!a || !self->pointer_inside || x < 0 || y < 0 || x >= self->geometry.width || y >= self->geometry.height)
    return g_strdup("");
  return ms_readout_format(a, filtered_pixel(self, (int)x, (int)y), &ms_document_get_settings(self->document)->params,
                           (int)x, (int)y);
}

/** ms_image_view_update_readout: called when the pointer, the picture or its position has changed. */
void
ms_image_view_update_readout(MsImageView *self)
{
  g_autofree char *text = self->document ? readout_at_pointer(self) : g_strdup("");

  if (g_strcmp0(text, self->readout) == 0)
    return;
  g_free(self->readout);
  self->readout = g_steal_pointer(&text);
  g_object_notify(G_OBJECT(self), "readout");
}

/** ms_image_view_get_readout: (transfer none): the text about the pixel under the pointer, empty for none. */
const char *
ms_image_view_get_readout(MsImageView *self)
{
  return self->readout ? self->readout : "";
}
