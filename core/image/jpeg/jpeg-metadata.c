/* SPDX-License-Identifier: MIT */
#include "core/image/jpeg/jpeg-metadata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of EXIF data and of XMP. */
#define EXIF_MARKER (JPEG_APP0 + 1)
#define ICC_MARKER (JPEG_APP0 + 2)
#define EXIF_PREFIX 6
#define WHOLE_MARKER 0xffff

/** ms_jpeg_metadata_keep: whether metadata are kept while the header is read; otherwise they are skipped. */
void
ms_jpeg_metadata_keep(struct jpeg_decompress_struct *cinfo, gboolean keep)
{
  jpeg_save_markers(cinfo, EXIF_MARKER, keep ? WHOLE_MARKER : 0);
  jpeg_save_markers(cinfo, ICC_MARKER, keep ? WHOLE_MARKER : 0);
}

/** ms_jpeg_metadata_exif: (transfer full) (nullable): the EXIF block of a header. */
GBytes *
ms_jpeg_metadata_exif(struct jpeg_decompress_struct *cinfo)
{
  for (jpeg_saved_marker_ptr m = cinfo->marker_list; m != NULL; m = m->next)
    if (m->marker == EXIF_MARKER && m->data_length > EXIF_PREFIX && memcmp(m->data, "Exif\0", 5) == 0)
      return g_bytes_new(m->data + EXIF_PREFIX, m->data_length - EXIF_PREFIX);
  return NULL;
}

/** ms_jpeg_metadata_xmp: (transfer full) (nullable): the XMP packet of a header. */
GBytes *
ms_jpeg_metadata_xmp(struct jpeg_decompress_struct *cinfo)
{
  static const char prefix[] = "http://ns.adobe.com/xap/1.0/";

  for (jpeg_saved_marker_ptr m = cinfo->marker_list; m != NULL; m = m->next)
    if (m->marker == EXIF_MARKER && m->data_length > sizeof prefix && memcmp(m->data, prefix, sizeof prefix) == 0)
      return g_bytes_new(m->data + sizeof prefix, m->data_length - sizeof prefix);
  return NULL;
}

static GBytes *
get_icc(struct jpeg_decompress_struct *cinfo, gsize most_bytes)
{
  JOCTET *data = NULL;
  unsigned int size = 0;

  if (!jpeg_read_icc_profile(cinfo, &data, &size))
    return NULL;
  GBytes *icc = size <= most_bytes ? g_bytes_new(data, size) : NULL;
  free(data);
  return icc;
}

static guint32
get_density(struct jpeg_decompress_struct *cinfo, guint density)
{
  if (!cinfo->saw_JFIF_marker)
    return 0;
  switch (cinfo->density_unit) {
  case 1:
    return (guint32)lround(density / 0.0254);
  case 2:
    return density * 100;
  default:
    return 0;
  }
}

/**
 * ms_jpeg_metadata:
 * @cinfo: with its header read while ms_jpeg_metadata_keep() was on
 * @most_bytes: a larger profile is left out
 *
 * Returns: (transfer full): orientation, profile and resolution
 */
MsMetadata *
ms_jpeg_metadata(struct jpeg_decompress_struct *cinfo, gsize most_bytes)
{
  guint32 x = get_density(cinfo, cinfo->X_density);
  guint32 y = get_density(cinfo, cinfo->Y_density);
  g_autoptr(GBytes) exif = ms_jpeg_metadata_exif(cinfo);
  g_autoptr(GBytes) icc = get_icc(cinfo, most_bytes);

  return ms_metadata_new(icc, exif, x > 0 && y > 0 ? x : 0, x > 0 && y > 0 ? y : 0);
}
