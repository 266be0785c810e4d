/* SPDX-License-Identifier: MIT */
/* MsKeptBuffers: buffers of a device that were returned and serve again, since some drivers take long to create one. */
#pragma once

#include <CL/cl.h>
#include <glib.h>

/**
 * MsKeptBuffers:
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
