/* SPDX-License-Identifier: MIT */
/* Transfers between host memory and a device, directly or through pinned memory. */
#pragma once

#include "core/opencl/context.h"

G_BEGIN_DECLS

gboolean ms_context_upload(MsContext *self, cl_mem buffer, gsize offset, gsize bytes, const void *from,
                           MsTimingLog *log, GError **error);
gboolean ms_context_upload_image(MsContext *self, cl_mem image, gsize width, gsize height, const void *from,
                                 MsTimingLog *log, GError **error);
gboolean ms_context_download(MsContext *self, cl_mem buffer, gsize offset, gsize bytes, void *into, MsTimingLog *log,
                             GError **error);

G_END_DECLS
