/* SPDX-License-Identifier: MIT */
/* MsPinnedMemory: host memory that a device reads and writes itself; a few blocks are kept and given out again. */
#pragma once

#include <CL/cl.h>
#include <glib.h>

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

typedef struct _MsPinnedMemory MsPinnedMemory;

MsPinnedMemory *ms_pinned_memory_new(void);
void ms_pinned_memory_free(MsPinnedMemory *self);
GBytes *ms_pinned_memory_take(MsPinnedMemory *self, cl_context context, cl_command_queue queue, gsize bytes);
gboolean ms_pinned_memory_holds(MsPinnedMemory *self, const void *host, gsize bytes);
