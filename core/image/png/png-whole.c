/* SPDX-License-Identifier: MIT */
#include "core/image/png/png-whole.h"

#include <string.h>

#include "core/image/png/png-deflate.h"
#include "core/image/png/png-unfilter.h"

/*
 * Larger images are inflated row by row, since inflating a whole one cannot be cancelled and reports no progress.
 * Filtered bytes with and without a receiver of progress.
 */
#define MOST_FOLLOWED_SIZE (G_GUINT64_CONSTANT(64) << 20)
#define MOST_SIZE (G_GUINT64_CONSTANT(2) << 30)

#define SIGNATURE_SIZE 8
#define HEADER_SIZE 8 /* the length and the name before the content of a chunk */
#define CHECKSUM_SIZE 4

/* Offsets in the file of the fields of IHDR, which is always the first chunk. */
#define IHDR_AT (SIGNATURE_SIZE + HEADER_SIZE)
#define IHDR_SIZE 13

/*
 * The filtered rows, each preceded by the number of its filter, end where the pixels end, so that no row of pixels
 * overwrites filtered rows that are still to be read.
 */
struct _MsPngWhole {
  guint8 *pixels;
  guint8 *next; /* filtered row */
  guint8 *row;  /* copies, which stay in the processor's cache */
  guint8 *above;
  gsize y;
  gsize width;
  gsize height;
  guint samples;
};

static guint32
get_number(const guint8 *at)
{
  guint32 value;

  memcpy(&value, at, sizeof value);
  return GUINT32_FROM_BE(value);
}

static gboolean
read_at(MsImageSource *source, guint64 at, void *buffer, gsize size)
{
  return ms_image_source_read_at(source, at, buffer, size, NULL) == (gssize)size;
}

/* Bytes of a pixel by the colour type of the format; 0 for palettes and what does not exist. */
static guint
count_samples(guint8 colour_type)
{
  static const guint8 samples[] = {1, 0, 3, 0, 2, 0, 4};

  return colour_type < G_N_ELEMENTS(samples) ? samples[colour_type] : 0;
}

static gsize
get_stride(const MsPngWhole *self)
{
  return 1 + self->width * self->samples;
}

/* FALSE for what libpng has to convert: palettes, other depths than 8 bits, interlaced files. */
static gboolean
read_header(MsPngWhole *self, MsImageSource *source)
{
  guint8 ihdr[IHDR_SIZE];

  if (!read_at(source, IHDR_AT, ihdr, sizeof ihdr))
    return FALSE;
  self->width = get_number(ihdr);
  self->height = get_number(ihdr + 4);
  self->samples = count_samples(ihdr[9]);
  guint64 most = source->report.rows ? MOST_FOLLOWED_SIZE : MOST_SIZE;
  gboolean is_plain = ihdr[8] == 8 && self->samples > 0 && ihdr[10] == 0 && ihdr[11] == 0 && ihdr[12] == 0;
  if (!is_plain || self->width == 0 || self->height == 0 || self->width > most ||
      self->height > most / get_stride(self))
    return FALSE;
  guint64 least = self->width * self->height * self->samples / MS_PNG_DEFLATE_MOST;
  return ms_image_source_check_size(source, self->width, self->height, least, NULL);
}

/* The compressed pixels of a file, in memory for at most @most bytes. */
typedef struct {
  guint8 *data;
  gsize size;
  gsize most;
} Pixels;

static gboolean
append_pixels(Pixels *pixels, MsImageSource *source, guint64 at, guint32 length)
{
  gsize end = pixels->size;

  /* libpng, which reads such a chunk too, keeps it in memory up to its limit for ancillary data. */
  if (length > pixels->most - end || length > source->limits->max_metadata)
    return FALSE;
  pixels->size += length;
  return read_at(source, at, pixels->data + end, length);
}

/*
 * FALSE where the file ends early, its pixels are not in chunks one after another, or a colour counts as transparent.
 * libpng reads the same file for all else, and checks the checksums.
 */
static gboolean
collect_pixels(Pixels *pixels, MsImageSource *source)
{
  guint64 at = SIGNATURE_SIZE;
  guint8 header[HEADER_SIZE] = {0};
  gboolean was_pixels = FALSE;

  while (memcmp(header + 4, "IEND", 4) != 0) {
    if (!read_at(source, at, header, sizeof header))
      return FALSE;
    guint32 length = get_number(header);
    gboolean is_pixels = memcmp(header + 4, "IDAT", 4) == 0;
    if (memcmp(header + 4, "tRNS", 4) == 0 || (is_pixels && !was_pixels && pixels->size > 0))
      return FALSE;
    if (is_pixels && !append_pixels(pixels, source, at + HEADER_SIZE, length))
      return FALSE;
    was_pixels = is_pixels;
    at += HEADER_SIZE + (guint64)length + CHECKSUM_SIZE;
  }
  return TRUE;
}

static gboolean
has_valid_filters(const MsPngWhole *self)
{
  for (gsize y = 0; y < self->height; y++)
    if (self->next[y * get_stride(self)] > 4)
      return FALSE;
  return TRUE;
}

/* Allocates the pixels, or the filtered rows where those of RGBA are larger. */
static gboolean
alloc_pixels(MsPngWhole *self)
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
inflate_rows(MsPngWhole *self, MsImageSource *source)
{
  gsize size = self->height * get_stride(self);
  /* Deflate stores incompressible data as blocks, each with a few bytes of header. */
  Pixels pixels = {.most = MIN(source->size, size + size / 256 + 1024)};
  g_autofree guint8 *data = pixels.data = ms_image_try_alloc_pixels(pixels.most / 4 + 1, 1);

  return data != NULL && alloc_pixels(self) && collect_pixels(&pixels, source) &&
         ms_png_inflate(pixels.data, pixels.size, self->next, size) && has_valid_filters(self);
}

/**
 * ms_png_whole_new:
 * @source: a file that begins with the PNG signature, whose stream is not advanced
 *
 * Returns: (transfer full) (nullable): the inflated rows; %NULL for a file that is large, damaged, or not of 8 bits a
 *   sample in rows from top to bottom, for pixels in a temporary file, and in a build without libdeflate
 */
MsPngWhole *
ms_png_whole_new(MsImageSource *source)
{
  g_autoptr(MsPngWhole) self = g_new0(MsPngWhole, 1);

  if (source->scratch == NULL && ms_png_deflate_is_built() && read_header(self, source) && inflate_rows(self, source))
    return g_steal_pointer(&self);
  return NULL;
}

/** ms_png_whole_unfilter_row: makes the RGBA pixels of the next row; to be called once for each row of the image. */
void
ms_png_whole_unfilter_row(MsPngWhole *self)
{
  guint8 *done = self->row;

  memcpy(self->row, self->next, get_stride(self));
  ms_png_unfilter_row(self->row, self->above + 1, self->samples, self->width);
  ms_png_expand_row(self->row + 1, self->samples, self->width, self->pixels + self->y++ * self->width * 4);
  self->next += get_stride(self);
  self->row = self->above;
  self->above = done;
}

/** ms_png_whole_steal_pixels: Returns: (transfer full): the pixels, whose rows have all been unfiltered. */
guint8 *
ms_png_whole_steal_pixels(MsPngWhole *self)
{
  return g_steal_pointer(&self->pixels);
}

void
ms_png_whole_free(MsPngWhole *self)
{
  g_free(self->pixels);
  g_free(self->row);
  g_free(self->above);
  g_free(self);
}
