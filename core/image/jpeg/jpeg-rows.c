/* SPDX-License-Identifier: MIT */
#include "core/image/jpeg/jpeg-rows.h"

#include <glib/gi18n-lib.h>

#include "core/error.h"
#include "core/image/jpeg/jpeg-metadata.h"
#include "core/image/jpeg/jpeg-reader.h"

/* Refuses a file that is valid but does not store the rows of the upright image in order. */
static void
refuse_rows(MsJpegReader *self, const char *why)
{
  ms_set_error_phrase(&self->error, MS_ERROR_UNSUPPORTED, "'%s' %s, so that it cannot be read by rows.",
                      self->source->name, why);
  ms_jpeg_reader_stop(self);
}

static void
begin_rows(MsJpegReader *self)
{
  int orientation = 1;

  ms_jpeg_reader_read_header(self);
  if (jpeg_has_multiple_scans(&self->cinfo))
    refuse_rows(self, N_("has several scans"));
  self->metadata = ms_jpeg_metadata(&self->cinfo, self->source->limits->max_metadata);
  self->rows.metadata =
    ms_image_source_upright_metadata(self->metadata, ms_jpeg_reader_get_orientation(self), &orientation);
  if (orientation != 1)
    refuse_rows(self, N_("is not stored upright"));
  self->rows.width = self->cinfo.image_width;
  self->rows.height = self->cinfo.image_height;
  ms_jpeg_reader_start_rows(self);
}

/* Reads to the end-of-image marker after the last row, because a file that lacks it is damaged. */
static void
read_next_row(MsJpegReader *self)
{
  ms_jpeg_reader_read_row(self, self->row);
  if (self->cinfo.output_scanline == self->cinfo.output_height)
    jpeg_finish_decompress(&self->cinfo);
}

static gboolean
rows_read(MsRowReader *rows, guint8 *row, GError **error)
{
  MsJpegReader *self = (MsJpegReader *)rows;

  self->row = row;
  ms_jpeg_reader_run(self, read_next_row);
  if (self->error == NULL)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&self->error));
  return FALSE;
}

static void
rows_close(MsRowReader *rows)
{
  g_clear_pointer(&rows->metadata, ms_metadata_unref);
  ms_jpeg_reader_free((MsJpegReader *)rows);
}

/**
 * ms_jpeg_open_rows:
 * @source: a file that begins with the JPEG start-of-image marker; must outlive the reader
 *
 * Returns: (transfer full): a reader of the rows, or %NULL with the errors of ms_jpeg_read(), or %MS_ERROR_UNSUPPORTED
 *   for a file of several scans and one that is not stored upright
 */
MsRowReader *
ms_jpeg_open_rows(MsImageSource *source, GError **error)
{
  MsJpegReader *self = ms_jpeg_reader_new(source);

  self->rows.read = rows_read;
  self->rows.close = rows_close;
  ms_jpeg_reader_run(self, begin_rows);
  if (self->error == NULL)
    return &self->rows;
  g_propagate_error(error, g_steal_pointer(&self->error));
  rows_close(&self->rows);
  return NULL;
}
