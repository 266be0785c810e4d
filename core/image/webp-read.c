/* SPDX-License-Identifier: MIT */
#include "core/image/webp-read.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include <webp/decode.h>

#include "core/error.h"
#include "core/image/metadata/orientation.h"

#define BUFFER_SIZE (64 << 10)
#define RIFF_HEADER 12
#define CHUNK_HEADER 8
#define FLAG_ANIMATION 0x02

/* Most chunks of a file; the format defines seven for a still image. */
#define MOST_CHUNKS 1000

#define TOO_SHORT "the file ends before the image does"

/* An EXIF chunk holds the block alone; some programs store the prefix that JPEG needs with it. */
#define EXIF_PREFIX "Exif\0"
#define EXIF_PREFIX_SIZE 6

/* The offset and size of a chunk's content in the file; a size of 0 where there is none. */
typedef struct {
  guint64 at;
  guint32 size;
} Chunk;

typedef struct {
  MsImageSource *source;
  guint64 end;
  int width;
  int height;
  gboolean has_image;
  Chunk icc;
  Chunk exif;
  Chunk xmp;
} WebpReader;

static gboolean
damaged(const WebpReader *self, const char *what, GError **error)
{
  ms_set_error_phrase(error, MS_ERROR_FORMAT, "'%s' is a damaged WebP file (%s); get a fresh copy of it.",
                      self->source->name, what);
  return FALSE;
}

static guint32
get_u24(const guint8 *p)
{
  return p[0] | p[1] << 8 | (guint32)p[2] << 16;
}

static guint32
get_u32(const guint8 *p)
{
  return get_u24(p) | (guint32)p[3] << 24;
}

static gboolean
read_exactly(WebpReader *self, guint64 at, guint8 *buffer, gsize size, GError **error)
{
  const gssize got = ms_image_source_read_at(self->source, at, buffer, size, error);

  if (got < 0)
    return FALSE;
  return (gsize)got == size || damaged(self, N_("the file ends before the image does"), error);
}

/* Reads the size from the first chunk: that of the canvas in the extended format, else that of the only image. */
static gboolean
read_size(WebpReader *self, GError **error)
{
  guint8 start[64];
  const gssize got = ms_image_source_read_at(self->source, 0, start, sizeof start, error);
  WebPBitstreamFeatures features;

  if (got < 0)
    return FALSE;
  if (got < 30)
    return damaged(self, N_("the file ends before the image does"), error);
  if (memcmp(start + RIFF_HEADER, "VP8X", 4) == 0) {
    const guint8 *content = start + RIFF_HEADER + CHUNK_HEADER;
    self->width = get_u24(content + 4) + 1;
    self->height = get_u24(content + 7) + 1;
    if ((content[0] & FLAG_ANIMATION) == 0)
      return TRUE;
    ms_set_error(error, MS_ERROR_FORMAT, "'%s' is an animation; save one of its images by itself.", self->source->name);
    return FALSE;
  }
  if (WebPGetFeatures(start, (gsize)got, &features) != VP8_STATUS_OK)
    return damaged(self, N_("its header is not valid"), error);
  self->width = features.width;
  self->height = features.height;
  return TRUE;
}

static void
note_chunk(WebpReader *self, const guint8 *header, guint64 at)
{
  Chunk chunk = {at, get_u32(header + 4)};

  if (memcmp(header, "ICCP", 4) == 0 && self->icc.size == 0)
    self->icc = chunk;
  else if (memcmp(header, "EXIF", 4) == 0 && self->exif.size == 0)
    self->exif = chunk;
  else if (memcmp(header, "XMP ", 4) == 0 && self->xmp.size == 0)
    self->xmp = chunk;
  else if (memcmp(header, "VP8 ", 4) == 0 || memcmp(header, "VP8L", 4) == 0)
    self->has_image = TRUE;
}

/* Reads the headers of all chunks, but not their contents, because metadata may follow the image. */
static gboolean
read_chunks(WebpReader *self, GError **error)
{
  guint64 at = RIFF_HEADER;

  for (guint i = 0; i < MOST_CHUNKS && at + CHUNK_HEADER <= self->end; i++) {
    guint8 header[CHUNK_HEADER];
    if (!read_exactly(self, at, header, sizeof header, error))
      return FALSE;
    at += CHUNK_HEADER;
    note_chunk(self, header, at);
    at += get_u32(header + 4);
    if (at > self->end && !ms_image_source_accepts(self->source, TOO_SHORT))
      return damaged(self, N_("a part of it is longer than the file"), error);
    at += at & 1;
  }
  return self->has_image || damaged(self, N_("it holds no image"), error);
}

static gboolean
read_header(WebpReader *self, GError **error)
{
  guint8 riff[RIFF_HEADER];

  if (!read_exactly(self, 0, riff, sizeof riff, error))
    return FALSE;
  self->end = (guint64)get_u32(riff + 4) + CHUNK_HEADER;
  if (self->end > self->source->size && !ms_image_source_accepts(self->source, TOO_SHORT))
    return damaged(self, N_("the file ends before the image does"), error);
  self->end = MIN(self->end, self->source->size);
  /* Passes 0 as the least size, since an image of one colour takes no more bytes when it is larger. */
  return read_size(self, error) && read_chunks(self, error) &&
         ms_image_source_check_size(self->source, self->width, self->height, 0, error);
}

static GBytes *
read_chunk(WebpReader *self, Chunk chunk)
{
  if (chunk.size == 0 || chunk.size > self->source->limits->max_metadata)
    return NULL;
  g_autofree guint8 *content = g_try_malloc(chunk.size);
  if (content == NULL || !read_exactly(self, chunk.at, content, chunk.size, NULL))
    return NULL;
  return g_bytes_new_take(g_steal_pointer(&content), chunk.size);
}

static GBytes *
read_exif(WebpReader *self)
{
  GBytes *exif = read_chunk(self, self->exif);
  gsize size = exif ? g_bytes_get_size(exif) : 0;

  if (size <= EXIF_PREFIX_SIZE || memcmp(g_bytes_get_data(exif, NULL), EXIF_PREFIX, EXIF_PREFIX_SIZE) != 0)
    return exif;
  GBytes *block = g_bytes_new_from_bytes(exif, EXIF_PREFIX_SIZE, size - EXIF_PREFIX_SIZE);
  g_bytes_unref(exif);
  return block;
}

/* The orientation that the EXIF block or the XMP packet states. */
static int
read_turn(WebpReader *self)
{
  g_autoptr(GBytes) exif = read_exif(self);
  g_autoptr(GBytes) xmp = read_chunk(self, self->xmp);

  return ms_image_source_get_orientation(exif, xmp);
}

static gboolean
set_decoder_error(const WebpReader *self, VP8StatusCode status, GError **error)
{
  if (status != VP8_STATUS_OUT_OF_MEMORY)
    return damaged(self, N_("its pixels cannot be decoded"), error);
  ms_set_error(error, MS_ERROR_MEMORY, "Not enough memory to read '%s'; close other programs or scale it down.",
               self->source->name);
  return FALSE;
}

/* Whether some rows have been decoded, and a damaged file is accepted. */
static gboolean
accepts_rows(WebpReader *self, WebPIDecoder *decoder)
{
  int rows = 0;

  return WebPIDecGetRGB(decoder, &rows, NULL, NULL, NULL) != NULL && rows > 0 &&
         ms_image_source_accepts(self->source, "its pixels cannot be decoded");
}

/* Passes the file to the decoder piece by piece, so that decoding can be cancelled in between. */
static gboolean
feed(WebpReader *self, WebPIDecoder *decoder, GError **error)
{
  g_autofree guint8 *buffer = g_malloc(BUFFER_SIZE);
  VP8StatusCode status = VP8_STATUS_SUSPENDED;

  for (guint64 at = 0; at < self->end && status == VP8_STATUS_SUSPENDED; at += BUFFER_SIZE) {
    gsize n = MIN(BUFFER_SIZE, self->end - at);
    if (!read_exactly(self, at, buffer, n, error))
      return FALSE;
    status = WebPIAppend(decoder, buffer, n);
  }
  if (status == VP8_STATUS_OK || (status != VP8_STATUS_OUT_OF_MEMORY && accepts_rows(self, decoder)))
    return TRUE;
  return set_decoder_error(self, status, error);
}

static gboolean
decode(WebpReader *self, guint8 *pixels, GError **error)
{
  WebPDecoderConfig config;
  int stride = self->width * 4;

  if (!WebPInitDecoderConfig(&config))
    return damaged(self, N_("the WebP library has another version than this build"), error);
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = (WebPRGBABuffer){pixels, stride, (gsize)stride * self->height};
  WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
  if (decoder == NULL)
    return set_decoder_error(self, VP8_STATUS_OUT_OF_MEMORY, error);
  gboolean ok = feed(self, decoder, error);
  WebPIDelete(decoder);
  WebPFreeDecBuffer(&config.output);
  return ok;
}

/**
 * ms_webp_read:
 * @source: a file that begins with a RIFF header of type WEBP
 *
 * The decoder writes into the block of pixels that the image keeps. Animations are refused.
 *
 * Returns: (transfer full): the upright image, or %NULL with %MS_ERROR_FORMAT, %MS_ERROR_TOO_LARGE, %MS_ERROR_MEMORY,
 *   %MS_ERROR_IO or %G_IO_ERROR_CANCELLED
 */
MsImage *
ms_webp_read(MsImageSource *source, GError **error)
{
  WebpReader self = {.source = source};

  if (!read_header(&self, error))
    return NULL;
  g_autofree guint8 *pixels = ms_image_source_alloc_pixels(source, self.width, self.height, error);
  if (pixels == NULL || !decode(&self, pixels, error))
    return NULL;
  g_autoptr(GBytes) icc = read_chunk(&self, self.icc);
  g_autoptr(GBytes) exif = read_exif(&self);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, exif, 0, 0);
  const MsStoredPixels stored = {g_steal_pointer(&pixels), self.width, self.height, read_turn(&self)};
  return ms_image_source_finish(source, stored, metadata, error);
}

/**
 * ms_webp_peek:
 * @header: (inout): all but the format is filled on success
 *
 * Reads the headers of all chunks and the EXIF block.
 *
 * Returns: FALSE with the errors of ms_webp_read()
 */
gboolean
ms_webp_peek(MsImageSource *source, MsImageHeader *header, GError **error)
{
  WebpReader self = {.source = source};

  if (!read_header(&self, error))
    return FALSE;
  gboolean swap = ms_orientation_swaps_sides(read_turn(&self));
  header->width = swap ? self.height : self.width;
  header->height = swap ? self.width : self.height;
  header->bits = 8;
  return TRUE;
}
