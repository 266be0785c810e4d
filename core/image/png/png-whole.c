/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-whole.h"

#include <string.h>

#include <zlib.h>

#include "core/image/png/png-deflate.h"
#include "core/image/png/png-unfilter.h"

/*
 * Larger images are inflated row by row, since inflating a whole one cannot be cancelled and reports no progress.
 * Filtered bytes with and without a receiver of progress.
 */
#define MOST_FOLLOWED_SIZE (G_GUINT64_CONSTANT(64) << 20)
#define MOST_SIZE (G_GUINT64_CONSTANT(2) << 30)

#define CHECKSUM_SIZE 4 /* bytes behind the content of a chunk */

/*
 * The filtered rows, each preceded by the number of its filter, end where the pixels end, so that no row of pixels
 * overwrites filtered rows that are still to be read.
 */
typedef struct {
  guint8 *pixels;
  guint8 *next; /* filtered row */
  guint8 *row;  /* copies, which stay in the processor's cache */
  guint8 *above;
  gsize width;
  gsize height;
  guint samples;
} Whole;

static gsize
get_stride(const Whole *self)
{
  return 1 + self->width * self->samples;
}

/*
 * FALSE for what libpng has to convert: palettes, other depths than 8 bits, interlaced files, a colour that counts as
 * transparent; and where damage is accepted, since libpng reads on behind a wrong checksum.
 */
static gboolean
read_header(Whole *self, MsPngReader *reader)
{
  guint64 most = reader->source->report.rows ? MOST_FOLLOWED_SIZE : MOST_SIZE;

  self->width = png_get_image_width(reader->png, reader->info);
  self->height = png_get_image_height(reader->png, reader->info);
  self->samples = png_get_channels(reader->png, reader->info);
  return png_get_bit_depth(reader->png, reader->info) == 8 &&
         png_get_color_type(reader->png, reader->info) != PNG_COLOR_TYPE_PALETTE &&
         png_get_interlace_type(reader->png, reader->info) == PNG_INTERLACE_NONE &&
         png_get_valid(reader->png, reader->info, PNG_INFO_tRNS) == 0 && self->height <= most / get_stride(self) &&
         !reader->source->scratch && !reader->source->limits->accept_damaged;
}

/* Reads the content of a chunk; @data has room for its checksum too. FALSE where that is wrong. */
static gboolean
read_content(MsImageSource *source, const MsPngChunk *chunk, guint8 *data)
{
  gsize size = (gsize)chunk->size + CHECKSUM_SIZE;
  guint32 checksum;

  if (ms_image_source_read_at(source, chunk->at, data, size, NULL) != (gssize)size)
    return FALSE;
  memcpy(&checksum, data + chunk->size, sizeof checksum);
  return crc32_z(crc32_z(0, (const Bytef *)chunk->type, 4), data, chunk->size) == GUINT32_FROM_BE(checksum);
}

/* Whether a file may have the chunk behind its pixels; libpng says why it may not. */
static gboolean
may_follow(const MsPngChunk *chunk)
{
  const char *type = chunk->type;
  gboolean is_ancillary =
    g_ascii_islower(type[0]) && g_ascii_isalpha(type[1]) && g_ascii_isalpha(type[2]) && g_ascii_isalpha(type[3]);

  return is_ancillary || strcmp(type, "IEND") == 0;
}

static gboolean
read_late_chunk(MsPngReader *reader, const MsPngChunk *chunk)
{
  if (!may_follow(chunk) || chunk->size > reader->source->limits->max_metadata)
    return FALSE;
  g_autofree guint8 *data = g_try_malloc((gsize)chunk->size + CHECKSUM_SIZE);
  if (!data || !read_content(reader->source, chunk, data))
    return FALSE;
  ms_png_reader_keep_text(reader, chunk->type, data, chunk->size);
  return TRUE;
}

static gboolean
is_pixels(const MsPngChunk *chunk)
{
  return strcmp(chunk->type, "IDAT") == 0;
}

/*
 * Reads the chunks that libpng has not read yet, and appends those with pixels to @data, which has room for @most bytes
 * and a checksum. FALSE where anything about them is unusual.
 */
static gboolean
read_chunks(MsPngReader *reader, guint8 *data, gsize most, gsize *size)
{
  MsImageSource *source = reader->source;
  MsPngChunk chunk = {0};
  gboolean more;

  do
    more = ms_png_chunk_next(&chunk, source, NULL);
  while (more && !is_pixels(&chunk));
  for (; more && is_pixels(&chunk); more = ms_png_chunk_next(&chunk, source, NULL)) {
    if (chunk.size > most - *size || !read_content(source, &chunk, data + *size))
      return FALSE;
    *size += chunk.size;
  }
  for (; more; more = ms_png_chunk_next(&chunk, source, NULL))
    if (!read_late_chunk(reader, &chunk))
      return FALSE;
  return strcmp(chunk.type, "IEND") == 0;
}

static gboolean
has_valid_filters(const Whole *self)
{
  for (gsize y = 0; y < self->height; y++)
    if (self->next[y * get_stride(self)] > 4)
      return FALSE;
  return TRUE;
}

/* Allocates the pixels, or the filtered rows where those of RGBA are larger. */
static gboolean
alloc_pixels(Whole *self)
{
  gsize row = MAX(get_stride(self), self->width * 4);
  gsize filtered = self->height * get_stride(self);

  self->pixels = ms_image_try_alloc_pixels((row * self->height + 3) / 4, 1);
  self->row = g_try_malloc(get_stride(self) + MS_PNG_UNFILTER_SLACK);
  self->above = g_try_malloc0(get_stride(self) + MS_PNG_UNFILTER_SLACK);
  if (self->pixels == NULL || self->row == NULL || self->above == NULL)
    return FALSE;
  self->next = self->pixels + row * self->height - filtered;
  return TRUE;
}

static gboolean
inflate_rows(Whole *self, MsPngReader *reader)
{
  gsize filtered = self->height * get_stride(self), size = 0;
  /* Deflate stores incompressible data as blocks, each with a few bytes of header. */
  gsize most = MIN(reader->source->size, filtered + filtered / 256 + 1024);
  g_autofree guint8 *data = ms_image_try_alloc_pixels((most + CHECKSUM_SIZE) / 4 + 1, 1);

  return data && alloc_pixels(self) && read_chunks(reader, data, most, &size) &&
         ms_png_inflate(data, size, self->next, filtered) && has_valid_filters(self);
}

/* Makes the RGBA pixels of row @y, which is next. */
static void
unfilter_row(Whole *self, gsize y)
{
  guint8 *done = self->row;

  memcpy(self->row, self->next, get_stride(self));
  ms_png_unfilter_row(self->row, self->above + 1, self->samples, self->width);
  ms_png_expand_row(self->row + 1, self->samples, self->width, self->pixels + y * self->width * 4);
  self->next += get_stride(self);
  self->row = self->above;
  self->above = done;
}

static void
unfilter_rows(Whole *self, MsPngReader *reader)
{
  for (gsize y = 0; y < self->height; y++) {
    if (g_cancellable_set_error_if_cancelled(reader->source->cancellable, &reader->error))
      return;
    unfilter_row(self, y);
    ms_image_source_report_rows(reader->source, y + 1, self->height);
  }
  reader->pixels = g_steal_pointer(&self->pixels);
}

/**
 * ms_png_whole_read:
 * @reader: with the header read; gets the pixels and the texts behind them, or an error where reading is cancelled
 *
 * Reads all that follows the header, beside libpng's stream, which does not advance.
 *
 * Returns: FALSE where libpng has to read the pixels: of a file that is large, damaged, unusual, or not of 8 bits a
 *   sample in rows from top to bottom, into a temporary file, and in a build without libdeflate
 */
gboolean
ms_png_whole_read(MsPngReader *reader)
{
  Whole self = {0};
  gboolean is_inflated = ms_png_deflate_is_built() && read_header(&self, reader) && inflate_rows(&self, reader);

  if (is_inflated)
    unfilter_rows(&self, reader);
  g_free(self.pixels);
  g_free(self.row);
  g_free(self.above);
  return is_inflated;
}
