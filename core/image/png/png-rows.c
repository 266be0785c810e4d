/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-rows.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/image/png/png-reader.h"

static gboolean
is_interlaced(MsPngReader *self)
{
  return png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_NONE;
}

/* Looks for EXIF data or XMP behind the first pixels, which may say that the image is not upright. */
static gboolean
find_late_exif(MsPngReader *self, gboolean *late)
{
  gboolean has_pixels = FALSE;
  guint8 start[MS_PNG_TEXT_MOST_KEYWORD];
  MsPngChunk chunk = {0};

  while (!*late && ms_png_chunk_next(&chunk, self->source, &self->error)) {
    gboolean is_pixels = strcmp(chunk.type, "IDAT") == 0;
    gssize got = 0;
    if (has_pixels && !is_pixels)
      got = ms_image_source_read_at(self->source, chunk.at, start, MIN(chunk.size, sizeof start), &self->error);
    if (got < 0)
      return FALSE;
    *late = has_pixels && ms_png_text_kind(chunk.type, start, (gsize)got) != MS_PNG_TEXT_OTHER;
    has_pixels = has_pixels || is_pixels;
  }
  return self->error == NULL;
}

/* Refuses a file that is valid but does not store the rows of the upright image in order. */
static void
refuse_rows(MsPngReader *self, const char *why)
{
  ms_set_error_phrase(&self->error, MS_ERROR_UNSUPPORTED, "'%s' %s, so that it cannot be read by rows.",
                      self->source->name, why);
  ms_png_reader_stop_if(self, TRUE);
}

/* Separate from begin_rows(), because the longjmp() of refuse_rows() skips the cleanup of its caller's variables. */
static int
set_upright_metadata(MsPngReader *self)
{
  g_autoptr(MsMetadata) metadata = ms_png_reader_get_metadata(self);
  int orientation = 1;

  self->rows.metadata = ms_image_source_upright_metadata(metadata, ms_png_reader_get_orientation(self), &orientation);
  return orientation;
}

static void
begin_rows(MsPngReader *self)
{
  gboolean late = FALSE;

  ms_png_reader_read_header(self);
  if (is_interlaced(self))
    refuse_rows(self, N_("is interlaced"));
  ms_png_reader_stop_if(self, !find_late_exif(self, &late));
  if (late)
    refuse_rows(self, N_("has EXIF data or XMP behind its pixels"));
  if (set_upright_metadata(self) != 1)
    refuse_rows(self, N_("is not stored upright"));
  self->rows.width = png_get_image_width(self->png, self->info);
  self->rows.height = png_get_image_height(self->png, self->info);
  self->rows.has_alpha = (png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                         png_get_valid(self->png, self->info, PNG_INFO_tRNS) != 0;
  ms_png_reader_set_transforms(self);
  png_read_update_info(self->png, self->info);
}

static void
read_next_row(MsPngReader *self)
{
  ms_png_reader_stop_if(self, g_cancellable_set_error_if_cancelled(self->source->cancellable, &self->error));
  png_read_row(self->png, self->pixels, NULL);
  if (++self->y == png_get_image_height(self->png, self->info))
    png_read_end(self->png, self->info);
}

static gboolean
read_row(MsRowReader *rows, guint8 *row, GError **error)
{
  MsPngReader *self = (MsPngReader *)rows;

  if (self->source->limits->accept_damaged)
    ms_image_source_blacken(row, (guint64)rows->width);
  if (self->is_lost)
    return TRUE;
  self->pixels = row;
  ms_png_reader_run(self, read_next_row);
  self->pixels = NULL;
  if (self->error == NULL)
    return TRUE;
  self->is_lost = ms_png_reader_accepts_rows(self);
  if (self->is_lost)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&self->error));
  return FALSE;
}

static void
close_rows(MsRowReader *rows)
{
  MsPngReader *self = (MsPngReader *)rows;

  ms_png_reader_close(self);
  g_clear_pointer(&rows->metadata, ms_metadata_unref);
  g_clear_error(&self->error);
  g_free(self);
}

/**
 * ms_png_open_rows:
 * @source: a file that begins with the PNG signature; must outlive the reader
 *
 * Returns: (transfer full): a reader of the rows, or %NULL with the errors of ms_png_read(), or %MS_ERROR_UNSUPPORTED
 *   for an interlaced file and one that is not stored upright
 */
MsRowReader *
ms_png_open_rows(MsImageSource *source, GError **error)
{
  MsPngReader *self = g_new0(MsPngReader, 1);

  self->source = source;
  self->rows.read = read_row;
  self->rows.close = close_rows;
  if (ms_png_reader_open(self))
    ms_png_reader_run(self, begin_rows);
  if (self->error == NULL)
    return &self->rows;
  g_propagate_error(error, g_steal_pointer(&self->error));
  close_rows(&self->rows);
  return NULL;
}
