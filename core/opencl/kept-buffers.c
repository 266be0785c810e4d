/* SPDX-License-Identifier: MIT */
#include "core/opencl/kept-buffers.h"

/* The most buffers that are kept. */
#define MOST_KEPT 16

/* A kept buffer serves where at most this many times the bytes, or this many bytes, are needed. */
#define MOST_EXCESS 4
#define SMALL_BYTES ((gsize)1 << 16)

static void
release_buffer(gpointer buffer)
{
  clReleaseMemObject(buffer);
}

void
ms_kept_buffers_init(MsKeptBuffers *self)
{
  g_mutex_init(&self->lock);
  self->buffers = g_ptr_array_new_with_free_func(release_buffer);
}

/** ms_kept_buffers_clear: releases the buffers. */
void
ms_kept_buffers_clear(MsKeptBuffers *self)
{
  g_clear_pointer(&self->buffers, g_ptr_array_unref);
  g_mutex_clear(&self->lock);
}

static gsize
buffer_bytes(cl_mem buffer)
{
  gsize bytes = 0;

  clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  return bytes;
}

/** ms_kept_buffers_take: (transfer full) (nullable): the smallest kept buffer that has @bytes and not much more. */
cl_mem
ms_kept_buffers_take(MsKeptBuffers *self, gsize bytes)
{
  gsize best_bytes = MAX(bytes * MOST_EXCESS, SMALL_BYTES) + 1;
  guint best = 0;

  g_mutex_lock(&self->lock);
  for (guint i = 0; i < self->buffers->len; i++) {
    const gsize size = buffer_bytes(self->buffers->pdata[i]);
    if (size >= bytes && size < best_bytes) {
      best_bytes = size;
      best = i + 1;
    }
  }
  cl_mem buffer = best > 0 ? g_ptr_array_steal_index(self->buffers, best - 1) : NULL;
  g_mutex_unlock(&self->lock);
  return buffer;
}

/**
 * ms_kept_buffers_add:
 * @buffer: (transfer full)
 * @most_bytes: that the kept buffers may have together; the oldest ones beyond are released
 */
void
ms_kept_buffers_add(MsKeptBuffers *self, cl_mem buffer, guint64 most_bytes)
{
  guint64 bytes = 0;

  g_mutex_lock(&self->lock);
  g_ptr_array_add(self->buffers, buffer);
  for (guint i = self->buffers->len; i > 0; i--) {
    bytes += buffer_bytes(self->buffers->pdata[i - 1]);
    if (bytes > most_bytes || self->buffers->len - i >= MOST_KEPT) {
      g_ptr_array_remove_range(self->buffers, 0, i);
      break;
    }
  }
  g_mutex_unlock(&self->lock);
}
