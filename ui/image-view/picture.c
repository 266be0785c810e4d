/* SPDX-License-Identifier: MIT */
#include "ui/image-view/picture.h"

#include <stdlib.h>
#include <string.h>

#include "core/image/colour/colour.h"

#define MAX_LEVELS 16

/* Pictures of up to this size get no reduced copies. */
#define SMALLEST_SIDE 256

/* One reduced copy: premultiplied pixels as cairo stores them; for differences, the maximum of each block. */
typedef struct {
  int width;
  int height;
  guint32 *pixels;
} Level;

typedef struct {
  guint n;
  gboolean opaque;
  Level levels[MAX_LEVELS];
} Pyramid;

struct _MsPicture {
  GObject parent_instance;
  MsImage *image;
  MsImage *other; /* NULL unless this is a difference */
  Pyramid *pyramid;
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE(MsPicture, ms_picture, G_TYPE_OBJECT)

static guint prepared_signal;

static void
pyramid_free(gpointer data)
{
  Pyramid *pyramid = data;

  for (guint i = 0; i < pyramid->n; i++)
    g_free(pyramid->levels[i].pixels);
  g_free(pyramid);
}

static void
ms_picture_finalize(GObject *object)
{
  MsPicture *self = MS_PICTURE(object);

  g_clear_object(&self->image);
  g_clear_object(&self->other);
  g_clear_pointer(&self->pyramid, pyramid_free);
  g_clear_object(&self->cancellable);
  G_OBJECT_CLASS(ms_picture_parent_class)->finalize(object);
}

static void
ms_picture_class_init(MsPictureClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_picture_finalize;
  prepared_signal = g_signal_new("prepared", MS_TYPE_PICTURE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_picture_init(MsPicture *self)
{
}

MsPicture *
ms_picture_new(MsImage *image)
{
  MsPicture *self = g_object_new(MS_TYPE_PICTURE, NULL);

  self->image = g_object_ref(image);
  return self;
}

/** ms_picture_new_difference: the absolute difference of @a and @b, which have one size; drawn amplified on black. */
MsPicture *
ms_picture_new_difference(MsImage *a, MsImage *b)
{
  MsPicture *self = ms_picture_new(a);

  self->other = g_object_ref(b);
  return self;
}

/** ms_picture_shows: whether this is the picture of @a, or of the difference of @a and @b (nullable). */
gboolean
ms_picture_shows(MsPicture *self, MsImage *a, MsImage *b)
{
  return self->image == a && self->other == b;
}

/** ms_picture_get_image: (transfer none) (nullable): the image whose colours are shown; %NULL for a difference */
MsImage *
ms_picture_get_image(MsPicture *self)
{
  return self->other ? NULL : self->image;
}

int
ms_picture_get_width(MsPicture *self)
{
  return ms_image_get_width(self->image);
}

int
ms_picture_get_height(MsPicture *self)
{
  return ms_image_get_height(self->image);
}

static inline guint
multiply(guint value, guint alpha)
{
  guint product = value * alpha + 128;

  return (product + (product >> 8)) >> 8;
}

static inline guint32
pack(guint r, guint g, guint b, guint a)
{
  return a << 24 | r << 16 | g << 8 | b;
}

static inline guint32
premultiplied(const guint8 *p)
{
  if (p[3] == 255)
    return pack(p[0], p[1], p[2], 255);
  return pack(multiply(p[0], p[3]), multiply(p[1], p[3]), multiply(p[2], p[3]), p[3]);
}

/* A difference in alpha is added to every channel, because alpha has no colour on the screen. */
static inline guint32
difference(const guint8 *p, const guint8 *q)
{
  guint alpha = abs(p[3] - q[3]);

  return pack(MAX((guint)abs(p[0] - q[0]), alpha), MAX((guint)abs(p[1] - q[1]), alpha),
              MAX((guint)abs(p[2] - q[2]), alpha), 255);
}

/* Part of a row of the full-size picture: @n pixels from (@x, @y) on, every @step-th. */
typedef struct {
  int x;
  int y;
  int n;
  int step;
} RowPart;

static void
full_row(const MsPicture *self, const RowPart *part, guint32 *into)
{
  gsize start = ((gsize)part->y * ms_image_get_width(self->image) + part->x) * 4, stride = (gsize)part->step * 4;
  const guint8 *p = ms_image_get_pixels(self->image) + start;
  const guint8 *q = self->other ? ms_image_get_pixels(self->other) + start : NULL;

  if (q)
    for (int i = 0; i < part->n; i++)
      into[i] = difference(p + i * stride, q + i * stride);
  else
    for (int i = 0; i < part->n; i++)
      into[i] = premultiplied(p + i * stride);
}

static inline guint32
mean_of_four(const guint32 *p)
{
  /* Adds two 8-bit channels at once; each has 16 bits, so no sum overflows. */
  guint32 even = 0x00020002u, odd = 0x00020002u;

  for (int i = 0; i < 4; i++) {
    even += p[i] & 0x00ff00ffu;
    odd += (p[i] >> 8) & 0x00ff00ffu;
  }
  return ((even >> 2) & 0x00ff00ffu) | (((odd >> 2) & 0x00ff00ffu) << 8);
}

static inline guint32
largest_of_four(const guint32 *p)
{
  guint32 result = 0;

  for (int shift = 0; shift < 32; shift += 8) {
    guint32 most = 0;
    for (int i = 0; i < 4; i++)
      most = MAX(most, (p[i] >> shift) & 0xff);
    result |= most << shift;
  }
  return result;
}

/* One input row of the next level: from the image or from the previous level. */
static void
fetch_row(const MsPicture *self, const Level *from, int y, guint32 *row, int width)
{
  if (from) {
    memcpy(row, from->pixels + (gsize)y * width, (gsize)width * 4);
    return;
  }
  full_row(self, &(RowPart){0, y, width, 1}, row);
}

/* Reduces two rows of @width pixels, of which the last one counts twice if @width is odd. */
static void
reduce_rows(guint32 *const rows[2], int width, guint32 *into, gboolean keep_largest)
{
  const guint32 *upper = rows[0], *lower = rows[1];

  for (int x = 0; x < (width + 1) / 2; x++) {
    int left = 2 * x, right = MIN(2 * x + 1, width - 1);
    const guint32 block[4] = {upper[left], upper[right], lower[left], lower[right]};
    into[x] = keep_largest ? largest_of_four(block) : mean_of_four(block);
  }
}

/* @from: (nullable): the level before, %NULL for the full-size picture */
static gboolean
reduce(const MsPicture *self, const Level *from, Level *into, GCancellable *cancellable)
{
  int width = from ? from->width : ms_image_get_width(self->image);
  int height = from ? from->height : ms_image_get_height(self->image);
  g_autofree guint32 *upper = g_new(guint32, width), *lower = g_new(guint32, width);

  into->width = (width + 1) / 2;
  into->height = (height + 1) / 2;
  into->pixels = g_try_malloc((gsize)into->width * into->height * 4);
  for (int y = 0; into->pixels && y < into->height; y++) {
    if (g_cancellable_is_cancelled(cancellable))
      return FALSE;
    fetch_row(self, from, 2 * y, upper, width);
    fetch_row(self, from, MIN(2 * y + 1, height - 1), lower, width);
    guint32 *const rows[2] = {upper, lower};
    reduce_rows(rows, width, into->pixels + (gsize)y * into->width, self->other != NULL);
  }
  return into->pixels != NULL;
}

static void
prepare_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  MsPicture *self = source;
  Pyramid *pyramid = g_new0(Pyramid, 1);
  int width = ms_picture_get_width(self), height = ms_picture_get_height(self);
  const Level *from = NULL;

  pyramid->opaque = self->other || !ms_image_has_transparency(self->image);
  while (MAX(width, height) > SMALLEST_SIDE && pyramid->n < MAX_LEVELS) {
    Level *into = &pyramid->levels[pyramid->n];
    if (!reduce(self, from, into, cancellable)) {
      g_clear_pointer(&into->pixels, g_free);
      break;
    }
    pyramid->n++;
    from = into;
    width = into->width;
    height = into->height;
  }
  g_task_return_pointer(task, pyramid, pyramid_free);
}

static void
on_prepared(GObject *source, GAsyncResult *result, gpointer data)
{
  MsPicture *self = MS_PICTURE(source);

  self->pyramid = g_task_propagate_pointer(G_TASK(result), NULL);
  if (self->pyramid)
    g_signal_emit(self, prepared_signal, 0);
}

/** ms_picture_prepare: computes the reduced copies on another thread. */
void
ms_picture_prepare(MsPicture *self)
{
  g_autoptr(GTask) task = NULL;

  if (self->cancellable)
    return;
  self->cancellable = g_cancellable_new();
  task = g_task_new(self, self->cancellable, on_prepared, NULL);
  g_task_run_in_thread(task, prepare_in_thread);
}

/** ms_picture_abandon: (transfer full): releases a picture and cancels the computation of its copies. */
void
ms_picture_abandon(MsPicture *self)
{
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_object_unref(self);
}

gboolean
ms_picture_is_prepared(MsPicture *self)
{
  return self->pyramid != NULL;
}

/** ms_picture_is_opaque: whether every pixel is opaque; %FALSE until the picture is prepared. */
gboolean
ms_picture_is_opaque(MsPicture *self)
{
  return self->other || (self->pyramid && self->pyramid->opaque);
}

/**
 * ms_picture_level_for_zoom:
 *
 * Returns: the number of halvings after which the picture still has a pixel for each of the screen; 0 for full size
 */
int
ms_picture_level_for_zoom(MsPicture *self, double zoom)
{
  int width = ms_picture_get_width(self), height = ms_picture_get_height(self), level = 0;

  while (zoom <= 0.5 && MAX(width, height) > SMALLEST_SIDE && level < MAX_LEVELS) {
    zoom *= 2;
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    level++;
  }
  return level;
}

static inline guint32
amplified(guint32 pixel, int gain)
{
  guint r = (pixel >> 16 & 0xff) * gain, g = (pixel >> 8 & 0xff) * gain, b = (pixel & 0xff) * gain;

  return pack(MIN(r, 255), MIN(g, 255), MIN(b, 255), 255);
}

/* Row @y of @region in a level; every 2^level-th pixel of the picture until the reduced copies are ready. */
static void
extract_row(MsPicture *self, int level, const MsRegion *region, int y, guint32 *into)
{
  int width = ms_picture_get_width(self), height = ms_picture_get_height(self);

  if (level > 0 && self->pyramid && (guint)level <= self->pyramid->n) {
    const Level *from = &self->pyramid->levels[level - 1];
    memcpy(into, from->pixels + (gsize)(region->y + y) * from->width + region->x, (gsize)region->width * 4);
    return;
  }
  const RowPart part = {MIN(region->x << level, width - 1), MIN((region->y + y) << level, height - 1), region->width,
                        1 << level};
  full_row(self, &part, into);
}

static inline guint
divide(guint value, guint alpha)
{
  return MIN((value * 255 + alpha / 2) / alpha, 255);
}

/* Converts @n pixels as cairo stores them; @straight has space for as many that are not multiplied by alpha. */
static void
convert_colours(const MsColour *colours, guint32 *pixels, gsize n, guint8 *straight)
{
  for (gsize i = 0; i < n; i++) {
    const guint a = pixels[i] >> 24, most = MAX(a, 1);
    guint8 *p = straight + i * 4;
    for (int k = 0; k < 3; k++) {
      const guint value = pixels[i] >> (16 - 8 * k) & 0xff;
      p[k] = (guint8)(a == 255 ? value : divide(value, most));
    }
    p[3] = (guint8)a;
  }
  ms_colour_convert(colours, straight, n);
  for (gsize i = 0; i < n; i++)
    pixels[i] = premultiplied(straight + i * 4);
}

/**
 * ms_picture_extract:
 * @level: from ms_picture_level_for_zoom()
 * @region: in pixels of that level, within it
 * @gain: what differences are multiplied by; of no effect on images
 * @colours: (nullable): the conversion of the colours; of no effect on differences
 *
 * Returns: (transfer full): a surface of the region's size
 */
cairo_surface_t *
ms_picture_extract(MsPicture *self, int level, const MsRegion *region, int gain, const MsColour *colours)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, region->width, region->height);
  guint8 *pixels = cairo_image_surface_get_data(surface);
  gsize stride = cairo_image_surface_get_stride(surface);
  const gsize n = stride / 4 * (gsize)region->height;
  g_autofree guint8 *straight = pixels && colours && !self->other ? g_try_malloc(n * 4) : NULL;

  if (!pixels)
    return surface;
  cairo_surface_flush(surface);
  for (int y = 0; y < region->height; y++) {
    guint32 *row = (guint32 *)(void *)(pixels + y * stride);
    extract_row(self, level, region, y, row);
    for (int x = 0; self->other && x < region->width; x++)
      row[x] = amplified(row[x], gain);
  }
  if (straight)
    convert_colours(colours, (guint32 *)(void *)pixels, n, straight);
  cairo_surface_mark_dirty(surface);
  return surface;
}

/** ms_pixbuf_from_image: (transfer full): shares the pixels. */
GdkPixbuf *
ms_pixbuf_from_image(MsImage *image)
{
  return gdk_pixbuf_new_from_bytes(ms_image_get_bytes(image), GDK_COLORSPACE_RGB, TRUE, 8, ms_image_get_width(image),
                                   ms_image_get_height(image), (int)ms_image_get_stride(image));
}

/**
 * ms_pixbuf_for_others: (transfer full): the picture in sRGB, for programs and printers that get its pixels without its
 * colour profile; shares the pixels where they are in sRGB, or have a profile that cannot be used.
 */
GdkPixbuf *
ms_pixbuf_for_others(MsImage *image)
{
  const MsMetadata *metadata = ms_image_get_metadata(image);
  GBytes *icc = metadata ? metadata->icc : NULL;
  const gsize size = ms_image_get_byte_size(image);
  g_autoptr(MsColour) colour = ms_colour_is_srgb(icc) ? NULL : ms_colour_new(icc, MS_COLOUR_RGBA, NULL);
  guint8 *pixels = colour ? g_memdup2(ms_image_get_pixels(image), size) : NULL;

  if (!pixels)
    return ms_pixbuf_from_image(image);
  ms_colour_convert(colour, pixels, size / 4);
  g_autoptr(MsImage) converted = ms_image_new_take(ms_image_get_width(image), ms_image_get_height(image), pixels, NULL);
  return ms_pixbuf_from_image(converted);
}

/** ms_pixbuf_to_image: (transfer full): a copy; without an alpha channel everything is opaque. */
MsImage *
ms_pixbuf_to_image(GdkPixbuf *pixbuf)
{
  int width = gdk_pixbuf_get_width(pixbuf), height = gdk_pixbuf_get_height(pixbuf);
  int channels = gdk_pixbuf_get_n_channels(pixbuf), stride = gdk_pixbuf_get_rowstride(pixbuf);
  const guint8 *from = gdk_pixbuf_read_pixels(pixbuf);
  guint8 *pixels = g_malloc((gsize)width * height * 4), *p = pixels;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, p += 4) {
      const guint8 *q = from + (gsize)y * stride + (gsize)x * channels;
      memcpy(p, q, 3);
      p[3] = channels == 4 ? q[3] : 255;
    }
  return ms_image_new_take(width, height, pixels, NULL);
}
