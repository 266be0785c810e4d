/* SPDX-License-Identifier: MIT */
/* Transfers between host memory and a device, directly or through pinned memory. */
#pragma once

#include "core/opencl/context.h"

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
gboolean ms_context_download(MsContext *self, const MsBufferRange *range, void *into, MsTimingLog *log, GError **error);
