/* SPDX-License-Identifier: MIT */
#include "core/service/shared-image.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/service/protocol.h"

#define KEY "ms-shared-pixels"

/* Set on an image whose pixels are not to be kept shared any more. */
#define DETACHED_KEY "ms-detached-pixels"

struct _MsSharedPixels {
  int fd;
  gsize size;
};

/** ms_shared_pixels_new: (transfer full): memory of zeros, or %NULL with #MS_ERROR_MEMORY. */
MsSharedPixels *
ms_shared_pixels_new(gsize size, GError **error)
{
  const int fd = ms_channel_new_memory(size, error);

  if (fd < 0)
    return NULL;
  MsSharedPixels *self = g_atomic_rc_box_new(MsSharedPixels);
  *self = (MsSharedPixels){fd, size};
  return self;
}

MsSharedPixels *
ms_shared_pixels_ref(MsSharedPixels *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear(gpointer self)
{
  close(((MsSharedPixels *)self)->fd);
}

void
ms_shared_pixels_unref(MsSharedPixels *self)
{
  g_atomic_rc_box_release_full(self, clear);
}

int
ms_shared_pixels_get_fd(const MsSharedPixels *self)
{
  return self->fd;
}

/** ms_shared_pixels_map: (transfer full): the pixels, to be read. */
GBytes *
ms_shared_pixels_map(MsSharedPixels *self, GError **error)
{
  return ms_channel_read_memory(self->fd, self->size, error);
}

/* (transfer full): memory with a copy of the pixels of @image. */
static MsSharedPixels *
copy_pixels(MsImage *image, GError **error)
{
  const gsize size = ms_image_get_byte_size(image);
  g_autoptr(MsSharedPixels) self = ms_shared_pixels_new(size, error);
  gpointer data = self ? ms_channel_map_memory(self->fd, size, TRUE, error) : NULL;

  if (!data)
    return NULL;
  memcpy(data, ms_image_get_pixels(image), size);
  munmap(data, size);
  return g_steal_pointer(&self);
}

/**
 * ms_shared_image_move: for the thread that loaded an image, since a large one takes time to copy
 * @image: (transfer full)
 *
 * Returns: (transfer full): an equal image in shared memory; @image itself where there is none
 */
MsImage *
ms_shared_image_move(MsImage *image)
{
  g_autoptr(MsSharedPixels) shared = copy_pixels(image, NULL);
  g_autoptr(GBytes) bytes = shared ? ms_shared_pixels_map(shared, NULL) : NULL;

  if (!bytes)
    return image;
  MsImage *moved =
    ms_image_new(ms_image_get_width(image), ms_image_get_height(image), bytes, ms_image_get_metadata(image));
  ms_image_set_damage(moved, ms_image_get_damage(image));
  ms_shared_image_attach(moved, shared);
  g_object_unref(image);
  return moved;
}

/** ms_shared_image_attach: records that the pixels of @image are those of @pixels; %NULL for no longer. */
void
ms_shared_image_attach(MsImage *image, MsSharedPixels *pixels)
{
  g_object_set_data_full(G_OBJECT(image), KEY, pixels ? ms_shared_pixels_ref(pixels) : NULL,
                         (GDestroyNotify)ms_shared_pixels_unref);
  g_object_set_data(G_OBJECT(image), DETACHED_KEY, GINT_TO_POINTER(pixels == NULL));
}

/**
 * ms_shared_image_get: (transfer full): the pixels of @image, which are copied once if they were never shared, and each
 * time if they are no longer to be kept shared, since they hold a descriptor.
 */
MsSharedPixels *
ms_shared_image_get(MsImage *image, GError **error)
{
  MsSharedPixels *known = g_object_get_data(G_OBJECT(image), KEY);

  if (known)
    return ms_shared_pixels_ref(known);
  MsSharedPixels *made = copy_pixels(image, error);
  if (made && !g_object_get_data(G_OBJECT(image), DETACHED_KEY))
    ms_shared_image_attach(image, made);
  return made;
}
