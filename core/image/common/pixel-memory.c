/* SPDX-License-Identifier: MIT */
#include "core/image/common/pixel-memory.h"

/* The C library keeps smaller blocks itself; larger ones it returns to the system, which clears each page again. */
#define LEAST_BYTES ((gsize)32 << 20)

/* A reference-counted box: the owner and each image hold a reference. */
struct _MsPixelMemory {
  GMutex lock;
  gboolean keeps;
  guint8 *kept; /* (nullable) */
  gsize kept_bytes;
};

/* What an image leaves when it is freed. */
typedef struct {
  MsPixelMemory *memory;
  guint8 *pixels;
  gsize bytes;
} Block;

/** ms_pixel_memory_new: (transfer full): keeps the memory of freed images; its images may outlive it. */
MsPixelMemory *
ms_pixel_memory_new(void)
{
  MsPixelMemory *self = g_atomic_rc_box_new0(MsPixelMemory);

  g_mutex_init(&self->lock);
  self->keeps = TRUE;
  return self;
}

static void
clear(gpointer data)
{
  MsPixelMemory *self = data;

  g_mutex_clear(&self->lock);
}

/** ms_pixel_memory_set_keeps: sets whether the memory of freed images is kept; %FALSE also frees the kept memory. */
void
ms_pixel_memory_set_keeps(MsPixelMemory *self, gboolean keeps)
{
  g_mutex_lock(&self->lock);
  self->keeps = keeps;
  if (!keeps)
    g_clear_pointer(&self->kept, g_free);
  g_mutex_unlock(&self->lock);
}

/** ms_pixel_memory_free: frees the kept memory; the memory of images in use is freed with them. %NULL is ignored. */
void
ms_pixel_memory_free(MsPixelMemory *self)
{
  if (!self)
    return;
  ms_pixel_memory_set_keeps(self, FALSE);
  g_atomic_rc_box_release_full(self, clear);
}

/** ms_pixel_memory_kept_bytes: bytes that wait for an image of their size. */
gsize
ms_pixel_memory_kept_bytes(MsPixelMemory *self)
{
  g_mutex_lock(&self->lock);
  const gsize bytes = self->kept ? self->kept_bytes : 0;
  g_mutex_unlock(&self->lock);
  return bytes;
}

static gpointer
take_kept(MsPixelMemory *self, gsize bytes)
{
  g_mutex_lock(&self->lock);
  guint8 *kept = g_steal_pointer(&self->kept);
  const gboolean fits = kept && self->kept_bytes == bytes;
  g_mutex_unlock(&self->lock);
  if (fits)
    return kept;
  g_free(kept);
  return NULL;
}

/**
 * ms_pixel_memory_take:
 *
 * Returns: (transfer full) (nullable): width * height * 4 bytes from g_malloc(), not cleared: those that an image of
 *   this size left, or new ones; %NULL where memory is short
 */
guint8 *
ms_pixel_memory_take(MsPixelMemory *self, guint64 width, guint64 height)
{
  guint8 *kept = take_kept(self, (gsize)(width * height * 4));

  return kept ? kept : ms_image_try_alloc_pixels(width, height);
}

static void
leave(gpointer data)
{
  g_autofree Block *block = data;
  MsPixelMemory *self = block->memory;

  g_mutex_lock(&self->lock);
  if (self->keeps && block->bytes >= LEAST_BYTES) {
    g_free(self->kept);
    self->kept = g_steal_pointer(&block->pixels);
    self->kept_bytes = block->bytes;
  }
  g_mutex_unlock(&self->lock);
  g_free(block->pixels);
  g_atomic_rc_box_release_full(self, clear);
}

/**
 * ms_pixel_memory_image:
 * @pixels: (transfer full): from ms_pixel_memory_take()
 *
 * Like ms_image_new_take(), but the image leaves @pixels to @self when it is freed, from any thread.
 */
MsImage *
ms_pixel_memory_image(MsPixelMemory *self, int width, int height, guint8 *pixels, MsMetadata *metadata)
{
  Block *block = g_new(Block, 1);

  *block = (Block){g_atomic_rc_box_acquire(self), pixels, (gsize)width * height * 4};
  g_autoptr(GBytes) bytes = g_bytes_new_with_free_func(pixels, block->bytes, leave, block);
  return ms_image_new(width, height, bytes, metadata);
}
