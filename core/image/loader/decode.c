/* SPDX-License-Identifier: MIT */
#include "core/image/loader/decode.h"

#include <string.h>

/*
 * Bytes that the module gets at once. That of GIF draws the whole picture again after each piece, and moves the rest of
 * a piece after each of its blocks: 12 megapixels take 1.1 s so, and 7 s in pieces of 64 KiB.
 */
#define PIECE (1 << 20)

#define GIF_HEADER 13
#define GIF_IMAGE 10

struct _MsDecoder {
  GdkPixbufLoader *loader;
  MsDecodeSize announce;
  gpointer data;
  guint n_images;
  int width; /* as announced; 0 before that */
  int height;
  gboolean is_refused;
};

/* Bytes of a colour table, whose size the lowest bits of @flags give. */
static gsize
gif_colours(guint8 flags)
{
  return flags & 0x80 ? (gsize)3 << ((flags & 7) + 1) : 0;
}

static gsize
skip_gif_blocks(const guint8 *bytes, gsize size, gsize at)
{
  while (at < size && bytes[at] > 0)
    at += 1 + (gsize)bytes[at];
  return at + 1;
}

/* How many pictures a GIF file holds; @first_end: (out): where the first ends, @size where it does not say. */
static guint
count_gif_images(const guint8 *bytes, gsize size, gsize *first_end)
{
  gsize at = size >= GIF_HEADER ? GIF_HEADER + gif_colours(bytes[10]) : size;
  guint n = 0;

  *first_end = size;
  while (at < size) {
    if (bytes[at] == ',' && size - at >= GIF_IMAGE) {
      at = skip_gif_blocks(bytes, size, at + GIF_IMAGE + gif_colours(bytes[at + 9]) + 1);
      *first_end = n++ == 0 ? MIN(at, size) : *first_end;
    } else if (bytes[at] == '!') {
      at = skip_gif_blocks(bytes, size, at + 2);
    } else {
      break;
    }
  }
  return MAX(n, 1);
}

static void
announce(MsDecoder *self, int width, int height)
{
  if (self->width > 0 || self->is_refused)
    return;
  self->width = width;
  self->height = height;
  self->is_refused = width <= 0 || height <= 0 || !self->announce(width, height, self->n_images, self->data);
}

static void
on_size_prepared(GdkPixbufLoader *loader, int width, int height, MsDecoder *self)
{
  announce(self, width, height);
  /* A size of nothing ends the work of the module. */
  if (self->is_refused)
    gdk_pixbuf_loader_set_size(loader, 0, 0);
}

/* The only signal of modules that state no size before they decode. */
static void
on_area_prepared(GdkPixbufLoader *loader, MsDecoder *self)
{
  GdkPixbuf *pixbuf = gdk_pixbuf_loader_get_pixbuf(loader);

  announce(self, gdk_pixbuf_get_width(pixbuf), gdk_pixbuf_get_height(pixbuf));
}

/**
 * ms_decoder_new: loads the module of a format, before any byte of a picture is read.
 * @announce_size: called by ms_decoder_run()
 *
 * Returns: (transfer full): the decoder, %NULL with %GDK_PIXBUF_ERROR_UNKNOWN_TYPE where there is no module
 */
MsDecoder *
ms_decoder_new(const char *mime_type, MsDecodeSize announce_size, gpointer data, GError **error)
{
  GdkPixbufLoader *loader = gdk_pixbuf_loader_new_with_mime_type(mime_type, error);

  if (!loader)
    return NULL;
  MsDecoder *self = g_new0(MsDecoder, 1);
  self->loader = loader;
  self->announce = announce_size;
  self->data = data;
  g_signal_connect(loader, "size-prepared", G_CALLBACK(on_size_prepared), self);
  g_signal_connect(loader, "area-prepared", G_CALLBACK(on_area_prepared), self);
  return self;
}

void
ms_decoder_free(MsDecoder *self)
{
  if (!self)
    return;
  gdk_pixbuf_loader_close(self->loader, NULL);
  g_object_unref(self->loader);
  g_free(self);
}

/**
 * ms_decoder_run: to be called once.
 * @damage: (out) (nullable) (transfer full): what the module says of a file of which it decoded a part
 *
 * Returns: (transfer full): the picture, of the announced size; %NULL with an error of the module or
 *   %GDK_PIXBUF_ERROR_FAILED where it was refused
 */
GdkPixbuf *
ms_decoder_run(MsDecoder *self, const guint8 *bytes, gsize size, char **damage, GError **error)
{
  static const guint8 gif_end[] = {';'};
  g_autoptr(GError) failure = NULL;
  gsize end = size;

  /* The module decodes all pictures of an animation, of which the first alone is wanted. */
  self->n_images = size >= 4 && memcmp(bytes, "GIF8", 4) == 0 ? count_gif_images(bytes, size, &end) : 1;
  for (gsize at = 0; at < end && !failure && !self->is_refused; at += PIECE)
    gdk_pixbuf_loader_write(self->loader, bytes + at, MIN(PIECE, end - at), &failure);
  if (end < size && !failure && !self->is_refused)
    gdk_pixbuf_loader_write(self->loader, gif_end, sizeof gif_end, &failure);
  gdk_pixbuf_loader_close(self->loader, failure ? NULL : &failure);
  GdkPixbuf *pixbuf = gdk_pixbuf_loader_get_pixbuf(self->loader);
  if (pixbuf && !self->is_refused && gdk_pixbuf_get_width(pixbuf) == self->width &&
      gdk_pixbuf_get_height(pixbuf) == self->height) {
    *damage = failure ? g_strdup(failure->message) : NULL;
    return g_object_ref(pixbuf);
  }
  if (failure)
    g_propagate_error(error, g_steal_pointer(&failure));
  else
    g_set_error_literal(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_FAILED,
                        pixbuf ? "its pixels are not of the size in its header" : "it holds no picture");
  return NULL;
}

/** ms_decode_copy: @rgba: (out): width * height * 4 bytes */
void
ms_decode_copy(GdkPixbuf *pixbuf, guint8 *rgba)
{
  const int width = gdk_pixbuf_get_width(pixbuf), height = gdk_pixbuf_get_height(pixbuf);
  const int channels = gdk_pixbuf_get_n_channels(pixbuf), stride = gdk_pixbuf_get_rowstride(pixbuf);
  const guint8 *pixels = gdk_pixbuf_read_pixels(pixbuf);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, rgba += 4) {
      memcpy(rgba, pixels + (gsize)y * stride + (gsize)x * channels, 3);
      rgba[3] = channels == 4 ? pixels[(gsize)y * stride + (gsize)x * channels + 3] : 255;
    }
}

/** ms_decode_get_orientation: as in EXIF, 1 to 8; 1 where the module gives none, or has turned the picture itself. */
guint
ms_decode_get_orientation(GdkPixbuf *pixbuf)
{
  const char *text = gdk_pixbuf_get_option(pixbuf, "orientation");
  const guint64 value = text ? g_ascii_strtoull(text, NULL, 10) : 1;

  return value >= 1 && value <= 8 ? (guint)value : 1;
}

/** ms_decode_get_profile: (transfer full): the colour profile, empty where there is none or it has over @most bytes. */
GBytes *
ms_decode_get_profile(GdkPixbuf *pixbuf, gsize most)
{
  const char *text = gdk_pixbuf_get_option(pixbuf, "icc-profile");
  gsize size = 0;
  guint8 *bytes = text && strlen(text) / 4 * 3 <= most ? g_base64_decode(text, &size) : NULL;

  return g_bytes_new_take(bytes, size);
}
