/* SPDX-License-Identifier: MIT */
#include "core/image/webp.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "core/error.h"

#define BUFFER_SIZE (64 << 10)
#define RIFF_HEADER 12
#define CHUNK_HEADER 8
#define FRAME_HEADER 16

/* Pixels of the canvas of an animation for each byte of the file, as in GIF. */
#define MOST_PER_BYTE 4096

/* Most chunks of a file; the format defines seven for a still image. */
#define MOST_CHUNKS 1000

#define TOO_SHORT "the file ends before the image does"

/* From this quality on, colours are subsampled by the slower method that keeps edges sharp. */
#define SHARP_COLOUR_QUALITY 90

/* The offset and size of a chunk's content in the file; a size of 0 where there is none. */
typedef struct {
  guint64 at;
  guint32 size;
} Chunk;

/*
 * @frame: of an animation the first picture, behind a header that places it; of a size of 0 for a still image
 * @n_frames: of the animation
 * @exif: (nullable): the EXIF block, without the prefix that JPEG needs, which some programs store with it
 */
typedef struct {
  MsImageFile *file;
  guint64 end;
  int width;
  int height;
  gboolean has_image;
  Chunk frame;
  guint n_frames;
  Chunk icc_chunk;
  Chunk exif_chunk;
  Chunk xmp_chunk;
  GBytes *exif;
  int orientation;
} WebpReader;

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

/* Reads the size from the first chunk: that of the canvas in the extended format, else that of the only image. */
static gboolean
read_size(WebpReader *self)
{
  guint8 start[64];
  const gssize got = ms_image_file_read_at(self->file, 0, start, sizeof start);
  WebPBitstreamFeatures features;

  if (got < 0)
    return FALSE;
  if (got < 30)
    return ms_codec_fail_damaged(self->file, N_("the file ends before the image does"));
  if (memcmp(start + RIFF_HEADER, "VP8X", 4) == 0) {
    const guint8 *content = start + RIFF_HEADER + CHUNK_HEADER;
    self->width = get_u24(content + 4) + 1;
    self->height = get_u24(content + 7) + 1;
    return TRUE;
  }
  if (WebPGetFeatures(start, (gsize)got, &features) != VP8_STATUS_OK)
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  self->width = features.width;
  self->height = features.height;
  return TRUE;
}

/* Counts the pictures of an animation, of which the first alone is read. */
static void
note_frame(WebpReader *self, Chunk chunk)
{
  if (self->n_frames++ > 0 || chunk.size <= FRAME_HEADER)
    return;
  self->frame = (Chunk){chunk.at + FRAME_HEADER, chunk.size - FRAME_HEADER};
  self->has_image = TRUE;
}

static void
note_chunk(WebpReader *self, const guint8 *header, guint64 at)
{
  Chunk chunk = {at, get_u32(header + 4)};

  if (memcmp(header, "ICCP", 4) == 0 && self->icc_chunk.size == 0)
    self->icc_chunk = chunk;
  else if (memcmp(header, "EXIF", 4) == 0 && self->exif_chunk.size == 0)
    self->exif_chunk = chunk;
  else if (memcmp(header, "XMP ", 4) == 0 && self->xmp_chunk.size == 0)
    self->xmp_chunk = chunk;
  else if (memcmp(header, "VP8 ", 4) == 0 || memcmp(header, "VP8L", 4) == 0)
    self->has_image = TRUE;
  else if (memcmp(header, "ANMF", 4) == 0)
    note_frame(self, chunk);
}

/* Reads the headers of all chunks, but not their contents, because metadata may follow the image. */
static gboolean
read_chunks(WebpReader *self)
{
  guint64 at = RIFF_HEADER;

  for (guint i = 0; i < MOST_CHUNKS && at + CHUNK_HEADER <= self->end; i++) {
    guint8 header[CHUNK_HEADER];
    if (!ms_codec_read_whole(self->file, at, header, sizeof header))
      return FALSE;
    at += CHUNK_HEADER;
    note_chunk(self, header, at);
    at += get_u32(header + 4);
    if (at > self->end && !ms_image_file_accepts(self->file, TOO_SHORT))
      return ms_codec_fail_damaged(self->file, N_("a part of it is longer than the file"));
    at += at & 1;
  }
  return self->has_image || ms_codec_fail_damaged(self->file, N_("it holds no image"));
}

static gboolean
read_header(WebpReader *self)
{
  guint8 riff[RIFF_HEADER];

  if (!ms_codec_read_whole(self->file, 0, riff, sizeof riff))
    return FALSE;
  self->end = (guint64)get_u32(riff + 4) + CHUNK_HEADER;
  if (self->end > self->file->size && !ms_image_file_accepts(self->file, TOO_SHORT))
    return ms_codec_fail_damaged(self->file, N_("the file ends before the image does"));
  self->end = MIN(self->end, self->file->size);
  if (!read_size(self) || !read_chunks(self))
    return FALSE;
  /*
   * The least size of an image is 0, since one of one colour takes no more bytes when it is larger; but of a large
   * canvas of an animation hardly anything would be covered.
   */
  const guint64 least = self->n_frames > 0 ? (guint64)self->width * (guint64)self->height / MOST_PER_BYTE : 0;
  return ms_image_file_check_size(self->file, self->width, self->height, least);
}

static GBytes *
read_chunk(WebpReader *self, Chunk chunk)
{
  if (chunk.size == 0 || chunk.size > self->file->limits.max_metadata)
    return NULL;
  g_autofree guint8 *content = g_try_malloc(chunk.size);
  if (!content || ms_image_file_read_at(self->file, chunk.at, content, chunk.size) != (gssize)chunk.size)
    return NULL;
  return g_bytes_new_take(g_steal_pointer(&content), chunk.size);
}

/**
 * ms_webp_open:
 * @file: begins with a RIFF header of type WEBP
 *
 * Reads the headers of all chunks, and what says how the image is turned.
 */
static void
ms_webp_open(MsImageFile *file)
{
  WebpReader *self = file->decoder = g_new0(WebpReader, 1);

  self->file = file;
  if (!read_header(self))
    return;
  g_autoptr(GBytes) exif = read_chunk(self, self->exif_chunk);
  g_autoptr(GBytes) xmp = read_chunk(self, self->xmp_chunk);
  self->exif = exif ? ms_exif_without_prefix(exif) : NULL;
  self->orientation = ms_metadata_find_orientation(self->exif, xmp);
  ms_image_file_set_header(file, self->width, self->height, self->orientation, 8);
  file->header.n_images = self->n_frames;
  file->header.has_more_images = self->n_frames > 1;
}

static void
ms_webp_close(MsImageFile *file)
{
  WebpReader *self = file->decoder;

  g_clear_pointer(&self->exif, g_bytes_unref);
  g_free(self);
}

static gboolean
set_decoder_error(const WebpReader *self, VP8StatusCode status)
{
  return status == VP8_STATUS_OUT_OF_MEMORY ? ms_image_file_fail_memory(self->file)
                                            : ms_codec_fail_damaged(self->file, N_("its pixels cannot be decoded"));
}

/* Whether some rows have been decoded, and a damaged file is accepted. */
static gboolean
accepts_rows(WebpReader *self, WebPIDecoder *decoder)
{
  int rows = 0;

  return WebPIDecGetRGB(decoder, &rows, NULL, NULL, NULL) && rows > 0 &&
         ms_image_file_accepts(self->file, "its pixels cannot be decoded");
}

/*
 * Passes the file, or the first picture of an animation, to the decoder piece by piece, so that decoding can be
 * cancelled in between.
 */
static gboolean
feed(WebpReader *self, WebPIDecoder *decoder)
{
  g_autofree guint8 *buffer = g_malloc(BUFFER_SIZE);
  VP8StatusCode status = VP8_STATUS_SUSPENDED;
  const guint64 end = self->frame.size > 0 ? MIN(self->end, self->frame.at + self->frame.size) : self->end;

  for (guint64 at = self->frame.at; at < end && status == VP8_STATUS_SUSPENDED; at += BUFFER_SIZE) {
    gsize n = MIN(BUFFER_SIZE, end - at);
    if (!ms_codec_read_whole(self->file, at, buffer, n))
      return FALSE;
    status = WebPIAppend(decoder, buffer, n);
  }
  if (status == VP8_STATUS_OK || (status != VP8_STATUS_OUT_OF_MEMORY && accepts_rows(self, decoder)))
    return TRUE;
  return set_decoder_error(self, status);
}

/* Finds the rectangle of the canvas that the first picture of an animation covers; around it all is transparent. */
static gboolean
place_frame(const WebpReader *self, guint8 *pixels, WebPRGBABuffer *target)
{
  guint8 header[FRAME_HEADER];

  if (self->frame.size == 0)
    return TRUE;
  if (!ms_codec_read_whole(self->file, self->frame.at - FRAME_HEADER, header, sizeof header))
    return FALSE;
  const gsize x = get_u24(header) * 2, y = get_u24(header + 3) * 2, width = get_u24(header + 6) + 1,
              height = get_u24(header + 9) + 1;
  if (x + width > (gsize)self->width || y + height > (gsize)self->height)
    return ms_codec_fail_damaged(self->file, N_("its header is not valid"));
  memset(pixels, 0, target->size);
  target->rgba = pixels + y * target->stride + x * 4;
  target->size = (height - 1) * target->stride + width * 4;
  return TRUE;
}

static gboolean
decode(WebpReader *self, guint8 *pixels)
{
  WebPDecoderConfig config;
  int stride = self->width * 4;

  if (!WebPInitDecoderConfig(&config))
    return ms_codec_fail_damaged(self->file, N_("the WebP library has another version than this build"));
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = (WebPRGBABuffer){pixels, stride, (gsize)stride * self->height};
  if (!place_frame(self, pixels, &config.output.u.RGBA))
    return FALSE;
  WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
  if (!decoder)
    return set_decoder_error(self, VP8_STATUS_OUT_OF_MEMORY);
  gboolean ok = feed(self, decoder);
  WebPIDelete(decoder);
  WebPFreeDecBuffer(&config.output);
  return ok;
}

static gboolean
start_webp(MsImageFile *file, MsDecoding how)
{
  WebpReader *self = file->decoder;
  g_autoptr(GBytes) icc = read_chunk(self, self->icc_chunk);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, self->exif, 0, 0);

  ms_image_file_set_stored(file, self->width, self->height, self->orientation, metadata);
  return !file->error;
}

/* All rows. */
static void
read_webp(MsImageFile *file, guint8 *into, int n)
{
  decode(file->decoder, into);
}

const MsImageDecoder ms_webp_decoder = {FALSE, FALSE, ms_webp_open, start_webp, read_webp, ms_webp_close};

/* ---- Writing. */

static int
on_webp_progress(int percent, const WebPPicture *picture)
{
  return !ms_image_writer_is_cancelled(picture->user_data);
}

static gboolean
set_config(WebPConfig *config, const MsSaveOptions *options)
{
  if (!WebPConfigInit(config))
    return FALSE;
  /* Keeps the colours of fully transparent pixels. */
  config->exact = 1;
  if (options->quality == 0)
    return WebPConfigLosslessPreset(config, options->compression);
  config->quality = options->quality;
  config->use_sharp_yuv = options->quality >= SHARP_COLOUR_QUALITY;
  return TRUE;
}

static void
set_encode_error(MsImageWriter *self, WebPEncodingError code)
{
  if (self->error)
    return;
  if (code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
    ms_set_error(&self->error, MS_ERROR_MEMORY, "Not enough memory to write '%s'; close other programs.",
                 self->sink.name);
  else
    ms_set_error(&self->error, MS_ERROR_IO, "Cannot write '%s' as WebP (error %d); try another format.",
                 self->sink.name, code);
}

static gboolean
import(WebPPicture *picture, MsImage *image)
{
  const guint8 *pixels = ms_image_get_pixels(image);
  int stride = ms_image_get_stride(image);

  picture->width = ms_image_get_width(image);
  picture->height = ms_image_get_height(image);
  return ms_image_has_transparency(image) ? WebPPictureImportRGBA(picture, pixels, stride)
                                          : WebPPictureImportRGBX(picture, pixels, stride);
}

static gboolean
encode(MsImageWriter *self, MsImage *image, WebPMemoryWriter *bits)
{
  WebPConfig config;
  WebPPicture picture;

  if (!set_config(&config, &self->options) || !WebPPictureInit(&picture)) {
    set_encode_error(self, VP8_ENC_ERROR_INVALID_CONFIGURATION);
    return FALSE;
  }
  picture.use_argb = 1;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = bits;
  picture.progress_hook = on_webp_progress;
  picture.user_data = self;
  gboolean ok = on_webp_progress(0, &picture) && import(&picture, image) && WebPEncode(&config, &picture);
  if (!ok)
    set_encode_error(self, picture.error_code);
  WebPPictureFree(&picture);
  return ok;
}

static gboolean
add_chunk(WebPMux *mux, const char *name, GBytes *content)
{
  if (!content)
    return TRUE;
  WebPData data = {g_bytes_get_data(content, NULL), g_bytes_get_size(content)};
  return WebPMuxSetChunk(mux, name, &data, 0) == WEBP_MUX_OK;
}

/* Stores the resolution in an EXIF block, because the format has no field for it. */
static GBytes *
get_exif(MsMetadata *metadata)
{
  if (metadata->exif)
    return g_bytes_ref(metadata->exif);
  if (metadata->x_pixels_per_metre == 0 || metadata->y_pixels_per_metre == 0)
    return NULL;
  return ms_exif_new_resolution(metadata->x_pixels_per_metre, metadata->y_pixels_per_metre);
}

static void
write_with_metadata(MsImageWriter *self, const WebPData *bits, MsMetadata *metadata)
{
  g_autoptr(GBytes) exif = get_exif(metadata);
  WebPMux *mux = WebPMuxNew();
  WebPData file = {NULL, 0};

  if (mux && WebPMuxSetImage(mux, bits, 0) == WEBP_MUX_OK && add_chunk(mux, "ICCP", metadata->icc) &&
      add_chunk(mux, "EXIF", exif) && WebPMuxAssemble(mux, &file) == WEBP_MUX_OK)
    ms_image_writer_put(self, file.bytes, file.size);
  else
    set_encode_error(self, VP8_ENC_ERROR_FILE_TOO_BIG);
  WebPDataClear(&file);
  WebPMuxDelete(mux);
}

static gboolean
write_webp(MsImageWriter *self, MsImage *image)
{
  WebPMemoryWriter bits;

  WebPMemoryWriterInit(&bits);
  if (encode(self, image, &bits) && self->frame.metadata)
    write_with_metadata(self, &(WebPData){bits.mem, bits.size}, self->frame.metadata);
  else if (!self->error)
    ms_image_writer_put(self, bits.mem, bits.size);
  WebPMemoryWriterClear(&bits);
  return !self->error;
}

/** ms_webp_encoder: of the options, the quality and for lossless images the compression are used; nothing is lost. */
const MsImageEncoder ms_webp_encoder = {.rows = write_webp};
