/* SPDX-License-Identifier: MIT */
#include "core/opencl/kept-memory.h"

#include "core/opencl/cl.h"

/* Buffers of a device */

/* The most buffers that are kept. */
#define MOST_BUFFERS 16

/* A kept buffer serves where at most this many times the bytes, or this many bytes, are needed. */
#define MOST_BUFFER_EXCESS 4
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
  gsize best_bytes = MAX(bytes * MOST_BUFFER_EXCESS, SMALL_BYTES) + 1;
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
    if (bytes > most_bytes || self->buffers->len - i >= MOST_BUFFERS) {
      g_ptr_array_remove_range(self->buffers, 0, i);
      break;
    }
  }
  g_mutex_unlock(&self->lock);
}

/* Pinned memory of the host */

/* A caller mostly keeps one result while the next one is computed. */
#define MOST_BLOCKS 2

/* A kept block serves where at most this many times the bytes are needed. */
#define MOST_EXCESS 2

/* A reference-counted box: the owner and each block in use hold a reference. */
struct _MsPinnedMemory {
  GMutex lock; /* guards the other members */
  gboolean closed;
  MsPinnedBlock blocks[MOST_BLOCKS];
  gboolean in_use[MOST_BLOCKS];
};

/* A block that was given out. */
typedef struct {
  MsPinnedMemory *memory;
  guint index;
} Lease;

/**
 * ms_pinned_block_alloc:
 * @self: zeroed
 * @queue: maps and unmaps the memory; the block holds a reference
 *
 * Drivers pin what CL_MEM_ALLOC_HOST_PTR allocates, and the mapping gives its address.
 */
gboolean
ms_pinned_block_alloc(MsPinnedBlock *self, cl_context context, cl_command_queue queue, gsize bytes, GError **error)
{
  const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
  cl_int status = CL_SUCCESS;
  g_auto(cl_mem) memory = clCreateBuffer(context, flags, bytes, NULL, &status);

  if (!ms_cl_check(status, error, "allocating %zu bytes of pinned memory", bytes))
    return FALSE;
  guint8 *host =
    clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &status);
  if (!ms_cl_check(status, error, "mapping %zu bytes of pinned memory", bytes))
    return FALSE;
  clRetainCommandQueue(queue);
  *self = (MsPinnedBlock){g_steal_pointer(&memory), queue, host, bytes};
  return TRUE;
}

/** ms_pinned_block_release: releases the memory, which no command may access any more; nothing where there is none. */
void
ms_pinned_block_release(MsPinnedBlock *self)
{
  if (self->host)
    clEnqueueUnmapMemObject(self->queue, self->memory, self->host, 0, NULL, NULL);
  g_clear_pointer(&self->memory, clReleaseMemObject);
  g_clear_pointer(&self->queue, clReleaseCommandQueue);
  *self = (MsPinnedBlock){0};
}

/** ms_pinned_memory_new: (transfer full): without blocks; those in use may outlive it. */
MsPinnedMemory *
ms_pinned_memory_new(void)
{
  MsPinnedMemory *self = g_atomic_rc_box_new0(MsPinnedMemory);

  g_mutex_init(&self->lock);
  return self;
}

static void
clear_memory(gpointer memory)
{
  MsPinnedMemory *self = memory;

  g_mutex_clear(&self->lock);
}

/** ms_pinned_memory_free: releases the blocks that are not in use; the others are released when they come back. */
void
ms_pinned_memory_free(MsPinnedMemory *self)
{
  g_mutex_lock(&self->lock);
  self->closed = TRUE;
  for (guint i = 0; i < MOST_BLOCKS; i++)
    if (!self->in_use[i])
      ms_pinned_block_release(&self->blocks[i]);
  g_mutex_unlock(&self->lock);
  g_atomic_rc_box_release_full(self, clear_memory);
}

static void
give_back(gpointer data)
{
  g_autofree Lease *lease = data;
  MsPinnedMemory *self = lease->memory;

  g_mutex_lock(&self->lock);
  self->in_use[lease->index] = FALSE;
  if (self->closed)
    ms_pinned_block_release(&self->blocks[lease->index]);
  g_mutex_unlock(&self->lock);
  g_atomic_rc_box_release_full(self, clear_memory);
}

/* Whether a block that nobody uses has the bytes, and not many more. */
static gboolean
fits(const MsPinnedBlock *block, gsize bytes)
{
  return block->bytes >= bytes && block->bytes / MOST_EXCESS <= bytes;
}

/* Returns the number of an unused block: one that fits, or else the last one; %MOST_BLOCKS where all are in use. */
static guint
find_unused(const MsPinnedMemory *self, gsize bytes)
{
  guint found = MOST_BLOCKS;

  for (guint i = 0; i < MOST_BLOCKS; i++)
    if (!self->in_use[i] && (found == MOST_BLOCKS || !fits(&self->blocks[found], bytes)))
      found = i;
  return found;
}

/**
 * ms_pinned_memory_take:
 *
 * Returns: (transfer full) (nullable): @bytes of pinned memory, not cleared, which come back to @self when the last
 *   reference is dropped, from any thread; %NULL where all blocks are in use or none can be pinned
 */
GBytes *
ms_pinned_memory_take(MsPinnedMemory *self, cl_context context, cl_command_queue queue, gsize bytes)
{
  Lease *lease = NULL;

  g_mutex_lock(&self->lock);
  const guint index = find_unused(self, bytes);
  MsPinnedBlock *block = index < MOST_BLOCKS ? &self->blocks[index] : NULL;
  if (block && !fits(block, bytes)) {
    ms_pinned_block_release(block);
    if (!ms_pinned_block_alloc(block, context, queue, bytes, NULL))
      block = NULL;
  }
  if (block) {
    self->in_use[index] = TRUE;
    lease = g_new(Lease, 1);
    *lease = (Lease){g_atomic_rc_box_acquire(self), index};
  }
  g_mutex_unlock(&self->lock);
  return block ? g_bytes_new_with_free_func(block->host, bytes, give_back, lease) : NULL;
}

/** ms_pinned_memory_holds: whether all bytes lie in a block that was given out. */
gboolean
ms_pinned_memory_holds(MsPinnedMemory *self, const void *host, gsize bytes)
{
  const guint8 *from = host;
  gboolean held = FALSE;

  g_mutex_lock(&self->lock);
  for (guint i = 0; i < MOST_BLOCKS; i++) {
    const MsPinnedBlock *block = &self->blocks[i];
    held |= self->in_use[i] && from >= block->host && from + bytes <= block->host + block->bytes;
  }
  g_mutex_unlock(&self->lock);
  return held;
}
