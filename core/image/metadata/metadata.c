/* SPDX-License-Identifier: MIT */
#include "core/image/metadata/metadata.h"

G_DEFINE_BOXED_TYPE(MsMetadata, ms_metadata, ms_metadata_ref, ms_metadata_unref)

/**
 * ms_metadata_new:
 * @icc: (nullable) (transfer none): raw ICC profile
 * @exif: (nullable) (transfer none): raw TIFF block of the EXIF data
 * @x_pixels_per_metre: 0 when unknown
 * @y_pixels_per_metre: 0 when unknown
 *
 * Returns: (transfer full): a new record with one reference
 */
MsMetadata *
ms_metadata_new(GBytes *icc, GBytes *exif, guint32 x_pixels_per_metre, guint32 y_pixels_per_metre)
{
  MsMetadata *self = g_atomic_rc_box_new0(MsMetadata);

  self->icc = icc ? g_bytes_ref(icc) : NULL;
  self->exif = exif ? g_bytes_ref(exif) : NULL;
  self->x_pixels_per_metre = x_pixels_per_metre;
  self->y_pixels_per_metre = y_pixels_per_metre;
  return self;
}

MsMetadata *
ms_metadata_ref(MsMetadata *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
ms_metadata_clear(gpointer data)
{
  MsMetadata *self = data;

  g_clear_pointer(&self->icc, g_bytes_unref);
  g_clear_pointer(&self->exif, g_bytes_unref);
}

void
ms_metadata_unref(MsMetadata *self)
{
  g_atomic_rc_box_release_full(self, ms_metadata_clear);
}
