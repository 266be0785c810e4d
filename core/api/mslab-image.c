/* SPDX-License-Identifier: MIT */
#include "mslab-image.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "api-private.h"
#include "core/image/image-io.h"
#include "core/image/image-save.h"

/**
 * MslabImage:
 *
 * An immutable image: 8-bit R, G, B and A samples with the metadata of the file from which it was read. Threads may
 * share it.
 */
struct _MslabImage {
  GObject parent_instance;
  MsImage *image;
};

G_DEFINE_FINAL_TYPE(MslabImage, mslab_image, G_TYPE_OBJECT)

static void
mslab_image_finalize(GObject *object)
{
  g_clear_object(&MSLAB_IMAGE(object)->image);
  G_OBJECT_CLASS(mslab_image_parent_class)->finalize(object);
}

static void
mslab_image_class_init(MslabImageClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = mslab_image_finalize;
}

static void
mslab_image_init(MslabImage *self)
{
}

/* ms_api_image_new: (transfer full): a public image that shares @image. */
MslabImage *
ms_api_image_new(MsImage *image)
{
  MslabImage *self = g_object_new(MSLAB_TYPE_IMAGE, NULL);

  self->image = g_object_ref(image);
  return self;
}

/* ms_api_image_get: (transfer none): the image of core. */
MsImage *
ms_api_image_get(MslabImage *self)
{
  return self->image;
}

static void
copy_row(const guint8 *from, int from_channels, guint8 *into, int into_channels, int width)
{
  if (from_channels == into_channels) {
    memcpy(into, from, (gsize)width * from_channels);
    return;
  }
  for (int x = 0; x < width; x++, from += from_channels, into += into_channels) {
    memcpy(into, from, 3);
    if (into_channels == 4)
      into[3] = 255;
  }
}

/* Layout: how pixels lie in memory, with @stride bytes from one row to the next. */
typedef struct {
  int width;
  int height;
  gsize stride;
  int channels;
} Layout;

static gboolean
holds_rows(gsize size, const Layout *l)
{
  gsize row = (gsize)l->width * l->channels;

  return row <= l->stride && row <= size && (size - row) / l->stride >= (gsize)l->height - 1;
}

static gboolean
check_layout(gsize size, const Layout *l, GError **error)
{
  if (l->width < 1 || l->height < 1)
    g_set_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE, _("An image needs at least one pixel; this one has %dx%d."),
                l->width, l->height);
  else if (l->channels != 3 && l->channels != 4)
    g_set_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE, _("An image has 3 or 4 channels, not %d."), l->channels);
  else if (!holds_rows(size, l))
    g_set_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE,
                _("%zu bytes in rows of %zu cannot hold %dx%d pixels of %d channels."), size, l->stride, l->width,
                l->height, l->channels);
  else
    return TRUE;
  return FALSE;
}

static MsImage *
copy_pixels(const guint8 *from, const Layout *l, GError **error)
{
  guint8 *pixels = g_try_malloc_n((gsize)l->width * l->height, 4);

  if (!pixels) {
    g_set_error(error, MSLAB_ERROR, MSLAB_ERROR_MEMORY, _("There is not enough memory for an image of %dx%d pixels."),
                l->width, l->height);
    return NULL;
  }
  for (int y = 0; y < l->height; y++)
    copy_row(from + y * l->stride, l->channels, pixels + (gsize)y * l->width * 4, 4, l->width);
  return ms_image_new_take(l->width, l->height, pixels, NULL);
}

static MsImage *
share_or_copy(GBytes *pixels, const Layout *l, GError **error)
{
  g_autoptr(GBytes) exact = NULL;

  if (l->channels != 4 || l->stride != (gsize)l->width * 4)
    return copy_pixels(g_bytes_get_data(pixels, NULL), l, error);
  exact = g_bytes_new_from_bytes(pixels, 0, l->stride * l->height);
  return ms_image_new(l->width, l->height, exact, NULL);
}

/**
 * mslab_image_new:
 * @pixels: R, G, B samples of 8 bits, and A where there are four channels
 * @width: pixels in a row, at least 1
 * @height: rows, at least 1
 * @stride: bytes from one row to the next
 * @channels: samples of a pixel, 3 or 4
 * @error: set to %MSLAB_ERROR_USAGE where @pixels is too small
 *
 * Makes an image. It shares @pixels where they have four channels and rows without padding, and copies them otherwise.
 * Pixels of three channels become opaque. The order of R, G and B does not matter to the filter.
 *
 * Returns: (transfer full): the image, or %NULL with @error set
 */
MslabImage *
mslab_image_new(GBytes *pixels, int width, int height, gsize stride, int channels, GError **error)
{
  const Layout layout = {width, height, stride, channels};
  g_autoptr(MsImage) image = NULL;

  g_return_val_if_fail(pixels, NULL);
  if (!check_layout(g_bytes_get_size(pixels), &layout, error))
    return NULL;
  image = share_or_copy(pixels, &layout, error);
  return image ? ms_api_image_new(image) : NULL;
}

/**
 * mslab_image_load:
 * @path: (type filename): a file, or `-` for standard input
 * @cancellable: (nullable): ends the call early
 * @error: set to %MSLAB_ERROR_IO, %MSLAB_ERROR_FORMAT, %MSLAB_ERROR_UNSUPPORTED or %MSLAB_ERROR_TOO_LARGE
 *
 * Reads an image file and turns it upright. The format is recognised by the content: one that the option `--format` of
 * meanshift-lab(1) names, TIFF and WebP where the library was built with them; or GIF, HEIC, AVIF and others where
 * gdk-pixbuf has a module for them. The program meanshift-lab-loader decodes these in a separate process and must be
 * installed.
 *
 * Returns: (transfer full): the image, or %NULL with @error set
 */
MslabImage *
mslab_image_load(const char *path, GCancellable *cancellable, GError **error)
{
  MsImageLimits limits = ms_image_limits_default();
  g_autoptr(MsImage) image = NULL;

  g_return_val_if_fail(path, NULL);
  limits.accepts_streams = TRUE;
  image = ms_image_load(path, &limits, cancellable, error);
  return image ? ms_api_image_new(image) : NULL;
}

/**
 * mslab_image_save:
 * @self: an image
 * @path: (type filename): the file, whose ending names the format
 * @cancellable: (nullable): ends the call early
 * @error: set to %MSLAB_ERROR_IO or %MSLAB_ERROR_USAGE
 *
 * Writes an image file. A file of that name is replaced once the new one is complete.
 *
 * Returns: %TRUE, or %FALSE with @error set
 */
gboolean
mslab_image_save(MslabImage *self, const char *path, GCancellable *cancellable, GError **error)
{
  MsSaveOptions options = ms_save_options_default();

  g_return_val_if_fail(MSLAB_IS_IMAGE(self) && path, FALSE);
  options.overwrite = TRUE;
  return ms_image_save(self->image, path, &options, NULL, cancellable, error);
}

/**
 * mslab_image_get_width:
 * @self: an image
 *
 * Gets the number of pixels in a row.
 *
 * Returns: the width
 */
int
mslab_image_get_width(MslabImage *self)
{
  g_return_val_if_fail(MSLAB_IS_IMAGE(self), 0);
  return ms_image_get_width(self->image);
}

/**
 * mslab_image_get_height:
 * @self: an image
 *
 * Gets the number of rows.
 *
 * Returns: the height
 */
int
mslab_image_get_height(MslabImage *self)
{
  g_return_val_if_fail(MSLAB_IS_IMAGE(self), 0);
  return ms_image_get_height(self->image);
}

/**
 * mslab_image_get_pixels:
 * @self: an image
 *
 * Gets the samples: R, G, B and A of each pixel, rows without padding. Nothing is copied.
 *
 * Returns: (transfer full): 4 * width * height bytes
 */
GBytes *
mslab_image_get_pixels(MslabImage *self)
{
  g_return_val_if_fail(MSLAB_IS_IMAGE(self), NULL);
  return g_bytes_ref(ms_image_get_bytes(self->image));
}

/**
 * mslab_image_copy_rows: (skip)
 * @self: an image
 * @rows: (out): memory for height rows
 * @stride: bytes from one row of @rows to the next
 * @channels: samples of a pixel to copy: 3 for R, G, B, or 4
 *
 * Copies the samples into memory of the caller.
 */
void
mslab_image_copy_rows(MslabImage *self, guint8 *rows, gsize stride, int channels)
{
  g_return_if_fail(MSLAB_IS_IMAGE(self) && (channels == 3 || channels == 4));

  int width = ms_image_get_width(self->image);
  int height = ms_image_get_height(self->image);
  const guint8 *pixels = ms_image_get_pixels(self->image);
  for (int y = 0; y < height; y++)
    copy_row(pixels + (gsize)y * width * 4, 4, rows + y * stride, channels, width);
}
