/* SPDX-License-Identifier: MIT */
#include "core/image/webp-write.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include "core/error.h"
#include "core/image/metadata/exif.h"

/* From this quality on, colours are subsampled by the slower method that keeps edges sharp. */
#define SHARP_COLOUR_QUALITY 90

typedef struct {
  MsImageSink *sink;
  GError *error;
} WebpWriter;

static int
on_progress(int percent, const WebPPicture *picture)
{
  WebpWriter *self = picture->user_data;

  return self->error == NULL && !g_cancellable_set_error_if_cancelled(self->sink->cancellable, &self->error);
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
set_encode_error(WebpWriter *self, WebPEncodingError code)
{
  if (self->error != NULL)
    return;
  if (code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
    ms_set_error(&self->error, MS_ERROR_MEMORY, "Not enough memory to write '%s'; close other programs.",
                 self->sink->name);
  else
    ms_set_error(&self->error, MS_ERROR_IO, "Cannot write '%s' as WebP (error %d); try another format.",
                 self->sink->name, code);
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
encode(WebpWriter *self, MsImage *image, const MsSaveOptions *options, WebPMemoryWriter *bits)
{
  WebPConfig config;
  WebPPicture picture;

  if (!set_config(&config, options) || !WebPPictureInit(&picture)) {
    set_encode_error(self, VP8_ENC_ERROR_INVALID_CONFIGURATION);
    return FALSE;
  }
  picture.use_argb = 1;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = bits;
  picture.progress_hook = on_progress;
  picture.user_data = self;
  gboolean ok = on_progress(0, &picture) && import(&picture, image) && WebPEncode(&config, &picture);
  if (!ok)
    set_encode_error(self, picture.error_code);
  WebPPictureFree(&picture);
  return ok;
}

static gboolean
add_chunk(WebPMux *mux, const char *name, GBytes *content)
{
  if (content == NULL)
    return TRUE;
  WebPData data = {g_bytes_get_data(content, NULL), g_bytes_get_size(content)};
  return WebPMuxSetChunk(mux, name, &data, 0) == WEBP_MUX_OK;
}

/* Stores the resolution in an EXIF block, because the format has no field for it. */
static GBytes *
get_exif(MsMetadata *metadata)
{
  if (metadata->exif != NULL)
    return g_bytes_ref(metadata->exif);
  if (metadata->x_pixels_per_metre == 0 || metadata->y_pixels_per_metre == 0)
    return NULL;
  return ms_exif_new_resolution(metadata->x_pixels_per_metre, metadata->y_pixels_per_metre);
}

static gboolean
write_with_metadata(WebpWriter *self, const WebPData *bits, MsMetadata *metadata)
{
  g_autoptr(GBytes) exif = get_exif(metadata);
  WebPMux *mux = WebPMuxNew();
  WebPData file = {NULL, 0};
  gboolean ok = mux != NULL && WebPMuxSetImage(mux, bits, 0) == WEBP_MUX_OK && add_chunk(mux, "ICCP", metadata->icc) &&
                add_chunk(mux, "EXIF", exif) && WebPMuxAssemble(mux, &file) == WEBP_MUX_OK;

  if (ok)
    ok = self->sink->write(self->sink, file.bytes, file.size, &self->error);
  else
    set_encode_error(self, VP8_ENC_ERROR_FILE_TOO_BIG);
  WebPDataClear(&file);
  WebPMuxDelete(mux);
  return ok;
}

/**
 * ms_webp_write:
 * @options: the quality, 0 for lossless, and for lossless images the compression
 * @notes: (inout): nothing is ever lost
 *
 * Returns: FALSE with the error of the sink, %MS_ERROR_MEMORY or %G_IO_ERROR_CANCELLED
 */
gboolean
ms_webp_write(MsImage *image, MsImageSink *sink, const MsSaveOptions *options, MsSaveNotes *notes, GError **error)
{
  WebpWriter self = {.sink = sink};
  MsMetadata *metadata = ms_image_get_metadata(image);
  WebPMemoryWriter bits;

  WebPMemoryWriterInit(&bits);
  if (encode(&self, image, options, &bits)) {
    WebPData data = {bits.mem, bits.size};
    if (metadata != NULL)
      write_with_metadata(&self, &data, metadata);
    else
      sink->write(sink, data.bytes, data.size, &self.error);
  }
  WebPMemoryWriterClear(&bits);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error(error, self.error);
  return FALSE;
}
