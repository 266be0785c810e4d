/* SPDX-License-Identifier: MIT */
/* Buffers of a context, waiting for its commands, and transfers between host and device. */
#pragma once

#include "core/opencl/context.h"

cl_mem ms_context_create_buffer(MsContext *self, cl_mem_flags flags, gsize bytes, void *host, GError **error);
cl_mem ms_device_array_new(MsContext *context, const void *data, gsize bytes, MsTimingLog *log, GError **error);
cl_mem ms_device_zeros_new(MsContext *context, gsize bytes, GError **error);
cl_mem ms_context_share_memory(MsContext *self, gpointer host, gsize bytes);
cl_mem ms_context_borrow_buffer(MsContext *self, gsize bytes, GError **error);
void ms_context_return_buffer(MsContext *self, cl_mem buffer);

gboolean ms_context_finish(MsContext *self, GError **error);
gboolean ms_context_wait_for(MsContext *self, cl_event event, GError **error);
gboolean ms_context_mark(MsContext *self, cl_event *marker, GError **error);

/** MsBufferRange: @bytes bytes of a buffer from its byte @offset on. */
typedef struct {
  cl_mem buffer;
  gsize offset;
  gsize bytes;
} MsBufferRange;

/** MsTexels: @width x @height texels of 4 bytes at the top left of an image object. */
typedef struct {
  cl_mem image;
  gsize width;
  gsize height;
} MsTexels;

gboolean ms_context_upload(MsContext *self, const MsBufferRange *range, const void *from, MsTimingLog *log,
                           GError **error);
gboolean ms_context_upload_image(MsContext *self, const MsTexels *texels, const void *from, MsTimingLog *log,
                                 GError **error);
gboolean ms_context_read(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error);
gboolean ms_context_download(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error);
gboolean ms_context_show_shared(MsContext *self, const MsBufferRange *range, MsTimingLog *log, GError **error);
MsStagedTransfer *ms_context_start_transfer(MsContext *self, const MsStagedWork *work);
GBytes *ms_context_take_pinned(MsContext *self, gsize bytes);
