/* SPDX-License-Identifier: MIT */
/* Memory that is kept, since drivers take long to create it: buffers of a device, and pinned memory of the host. */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/**
 * MsKeptBuffers: buffers of a device that were returned.
 * @buffers: the latest last
 * @lock: guards @buffers
 */
typedef struct {
  GPtrArray *buffers;
  GMutex lock;
} MsKeptBuffers;

void ms_kept_buffers_init(MsKeptBuffers *self);
void ms_kept_buffers_clear(MsKeptBuffers *self);
cl_mem ms_kept_buffers_take(MsKeptBuffers *self, gsize bytes);
void ms_kept_buffers_add(MsKeptBuffers *self, cl_mem buffer, guint64 most_bytes);

/** MsPinnedBlock: @bytes of pinned memory at @host; all zero for none. */
typedef struct {
  cl_mem memory;
  cl_command_queue queue;
  guint8 *host;
  gsize bytes;
} MsPinnedBlock;

gboolean ms_pinned_block_alloc(MsPinnedBlock *self, cl_context context, cl_command_queue queue, gsize bytes,
                               GError **error);
void ms_pinned_block_release(MsPinnedBlock *self);

/** MsPinnedMemory: host memory that a device reads and writes itself; a few blocks are kept. */
typedef struct _MsPinnedMemory MsPinnedMemory;

MsPinnedMemory *ms_pinned_memory_new(void);
void ms_pinned_memory_free(MsPinnedMemory *self);
GBytes *ms_pinned_memory_take(MsPinnedMemory *self, cl_context context, cl_command_queue queue, gsize bytes);
gboolean ms_pinned_memory_holds(MsPinnedMemory *self, const void *host, gsize bytes);
