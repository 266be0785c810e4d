/* SPDX-License-Identifier: MIT */
/* MsStaging: transfers pageable host memory to and from a device through pinned slots, which several threads fill. */
#pragma once

#include <gio/gio.h>

#include "core/opencl/device.h"
#include "core/opencl/timing.h"

typedef struct _MsStaging MsStaging;

/**
 * MsStagedCopy: the device's side of a transfer.
 * @lanes: threads to copy with, the caller's included
 * @buffer: of which @bytes, at least one, are copied from its byte @offset on
 */
typedef struct {
  guint lanes;
  cl_mem buffer;
  gsize offset;
  gsize bytes;
} MsStagedCopy;

guint ms_staging_lanes_for(const MsDeviceLimits *limits, guint processors, gsize bytes);
MsStaging *ms_staging_new(cl_context context, cl_command_queue queue, gsize chunk_bytes, GError **error);
void ms_staging_free(MsStaging *self);
gboolean ms_staging_upload(MsStaging *self, const MsStagedCopy *copy, const void *from, MsTimingLog *log,
                           GError **error);
gboolean ms_staging_download(MsStaging *self, const MsStagedCopy *copy, void *into, MsTimingLog *log, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsStaging, ms_staging_free)
