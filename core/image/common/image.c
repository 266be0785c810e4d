/* SPDX-License-Identifier: MIT */
#include "core/image/common/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

#define BLOCK_SIZE 4096

/* Below this size page faults take little time. */
#define LEAST_HUGE_BYTES ((guint64)4 << 20)

struct _MsImage {
  GObject parent_instance;
  int width;
  int height;
  GBytes *pixels;
  MsMetadata *metadata;
  char *damage;
};

G_DEFINE_FINAL_TYPE(MsImage, ms_image, G_TYPE_OBJECT)

static void
ms_image_finalize(GObject *object)
{
  MsImage *self = MS_IMAGE(object);

  g_clear_pointer(&self->pixels, g_bytes_unref);
  g_clear_pointer(&self->metadata, ms_metadata_unref);
  g_free(self->damage);
  G_OBJECT_CLASS(ms_image_parent_class)->finalize(object);
}

static void
ms_image_class_init(MsImageClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_image_finalize;
}

static void
ms_image_init(MsImage *self)
{
}

/**
 * ms_image_try_alloc_pixels:
 *
 * Asks the system for huge pages, since page faults on small pages take longer than copying a large picture.
 *
 * Returns: (transfer full) (nullable): width * height * 4 bytes, not cleared; %NULL where memory is short
 */
guint8 *
ms_image_try_alloc_pixels(guint64 width, guint64 height)
{
  const guint64 bytes = width * height * 4;
  guint8 *pixels = g_try_malloc(bytes);
  const guintptr page = (guintptr)sysconf(_SC_PAGESIZE), first = ((guintptr)pixels + page - 1) / page * page;

  /* If the system refuses the advice, only the time changes. */
  if (pixels && bytes >= LEAST_HUGE_BYTES)
    (void)madvise((void *)first, ((guintptr)pixels + bytes - first) / page * page, MADV_HUGEPAGE);
  return pixels;
}

/**
 * ms_image_check_memory:
 * @memory: (transfer full) (nullable): for a result of that size, %NULL where it could not be allocated
 *
 * Returns: (transfer full): @memory; if it is %NULL, with #MS_ERROR_MEMORY
 */
gpointer
ms_image_check_memory(gpointer memory, int width, int height, GError **error)
{
  if (!memory)
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a result of %dx%d pixels.", width, height);
  return memory;
}

/**
 * ms_image_new:
 * @width: pixels in a row, at least 1
 * @height: rows, at least 1
 * @pixels: (transfer none): width * height * 4 bytes, R G B A, rows without padding
 * @metadata: (nullable) (transfer none): what is saved with the pixels
 *
 * Returns: (transfer full): an image that shares @pixels
 */
MsImage *
ms_image_new(int width, int height, GBytes *pixels, MsMetadata *metadata)
{
  g_return_val_if_fail(width > 0 && height > 0, NULL);
  g_return_val_if_fail(g_bytes_get_size(pixels) == (gsize)width * height * 4, NULL);

  MsImage *self = g_object_new(MS_TYPE_IMAGE, NULL);
  self->width = width;
  self->height = height;
  self->pixels = g_bytes_ref(pixels);
  self->metadata = metadata ? ms_metadata_ref(metadata) : NULL;
  return self;
}

/** ms_image_new_rows: (transfer full): @count rows of @self from @first on, whose memory it shares. */
MsImage *
ms_image_new_rows(MsImage *self, int first, int count)
{
  const gsize stride = (gsize)self->width * 4;
  g_autoptr(GBytes) rows = g_bytes_new_from_bytes(self->pixels, (gsize)first * stride, (gsize)count * stride);

  return ms_image_new(self->width, count, rows, self->metadata);
}

/**
 * ms_image_new_take:
 * @pixels: (transfer full): width * height * 4 bytes from g_malloc()
 *
 * Like ms_image_new(), but takes ownership of @pixels.
 */
MsImage *
ms_image_new_take(int width, int height, guint8 *pixels, MsMetadata *metadata)
{
  g_autoptr(GBytes) bytes = g_bytes_new_take(pixels, (gsize)width * height * 4);

  return ms_image_new(width, height, bytes, metadata);
}

int
ms_image_get_width(MsImage *self)
{
  return self->width;
}

int
ms_image_get_height(MsImage *self)
{
  return self->height;
}

/** ms_image_get_stride: bytes from one row to the next, always 4 * width. */
gsize
ms_image_get_stride(MsImage *self)
{
  return (gsize)self->width * 4;
}

gsize
ms_image_get_byte_size(MsImage *self)
{
  return g_bytes_get_size(self->pixels);
}

/** ms_image_get_pixels: (transfer none): the bytes, R G B A, row after row. */
const guint8 *
ms_image_get_pixels(MsImage *self)
{
  return g_bytes_get_data(self->pixels, NULL);
}

/** ms_image_get_bytes: (transfer none): the bytes as a reference-counted block, for sharing. */
GBytes *
ms_image_get_bytes(MsImage *self)
{
  return self->pixels;
}

/** ms_image_set_damage: for loaders, before anything else sees the image; @damage: as words that fit in parentheses. */
void
ms_image_set_damage(MsImage *self, const char *damage)
{
  g_free(self->damage);
  self->damage = g_strdup(damage);
}

/** ms_image_get_damage: (nullable): why a part of the file could not be read, of an image that was accepted damaged. */
const char *
ms_image_get_damage(MsImage *self)
{
  return self->damage;
}

/** ms_image_get_metadata: (transfer none) (nullable): what is saved with the pixels. */
MsMetadata *
ms_image_get_metadata(MsImage *self)
{
  return self->metadata;
}

/** ms_image_get_no_data: ms_geo_get_no_data() of its metadata. */
gboolean
ms_image_get_no_data(MsImage *self, guint8 *value)
{
  return self->metadata && ms_geo_get_no_data(self->metadata->geo, value);
}

MsRegion
ms_image_get_extent(MsImage *self)
{
  return (MsRegion){0, 0, self->width, self->height};
}

/* Tests a constant number of pixels, so that the compiler uses vector instructions. */
static gboolean
is_opaque_block(const guint8 *pixels)
{
  guint8 all = 255;

  for (int i = 3; i < BLOCK_SIZE; i += 4)
    all &= pixels[i];
  return all == 255;
}

/** ms_image_pixels_are_opaque: whether every alpha in @size bytes of RGBA pixels is 255. */
gboolean
ms_image_pixels_are_opaque(const guint8 *pixels, gsize size)
{
  gsize i = 0;

  for (; i + BLOCK_SIZE <= size; i += BLOCK_SIZE)
    if (!is_opaque_block(pixels + i))
      return FALSE;
  for (i += 3; i < size; i += 4)
    if (pixels[i] != 255)
      return FALSE;
  return TRUE;
}

/** ms_image_has_transparency: whether any alpha is below 255. */
gboolean
ms_image_has_transparency(MsImage *self)
{
  return !ms_image_pixels_are_opaque(ms_image_get_pixels(self), ms_image_get_byte_size(self));
}

/**
 * ms_image_compare:
 * @a: an image
 * @b: an image of the same size
 *
 * Returns: the number of pixels that differ in any channel and the largest difference of one channel
 */
MsImageDifference
ms_image_compare(MsImage *a, MsImage *b)
{
  MsImageDifference difference = {0, 0};

  g_return_val_if_fail(a->width == b->width && a->height == b->height, difference);

  const guint8 *p = ms_image_get_pixels(a);
  const guint8 *q = ms_image_get_pixels(b);
  gsize n = ms_image_get_byte_size(a);
  for (gsize i = 0; i < n; i += 4) {
    if (memcmp(p + i, q + i, 4) == 0)
      continue;
    difference.mismatched_pixels++;
    for (int k = 0; k < 4; k++)
      difference.max_difference = MAX(difference.max_difference, abs(p[i + k] - q[i + k]));
  }
  return difference;
}
