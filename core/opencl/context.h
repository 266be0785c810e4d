/* SPDX-License-Identifier: MIT */
/* MsContext: an open device: its OpenCL context, its in-order profiling queue and the programs built so far. */
#pragma once

#include <gio/gio.h>

#include "core/opencl/cl.h"
#include "core/opencl/device.h"
#include "core/opencl/program.h"
#include "core/opencl/staging.h"
#include "core/opencl/timing.h"

/**
 * MS_CONTEXT_PROBE_VARIABLE: the environment variable whose presence makes a process try each device that it chooses,
 * although an earlier process found that it works.
 */
#define MS_CONTEXT_PROBE_VARIABLE "MEANSHIFT_LAB_PROBE"

#define MS_TYPE_CONTEXT (ms_context_get_type())
G_DECLARE_FINAL_TYPE(MsContext, ms_context, MS, CONTEXT, GObject)

/** MsNDRange: how a kernel is launched; @local of 0 leaves the choice to the runtime. */
typedef struct {
  guint dimensions;
  gsize offset[3];
  gsize global[3];
  gsize local[3];
} MsNDRange;

/**
 * MsLaunch: one launch of a kernel.
 * @kernel: with all its arguments set
 * @name: the kernel's name in the timings
 * @bytes: least number of bytes that the kernel moves, for GB/s; 0 where GB/s are not reported
 */
typedef struct {
  cl_kernel kernel;
  const char *name;
  MsNDRange range;
  guint64 bytes;
} MsLaunch;

/**
 * MsDeviceRun: the log and cancellable that all steps of a computation on a device share.
 * @log: (nullable): gets builds, uploads, kernels and downloads
 * @cancellable: (nullable)
 */
typedef struct {
  MsContext *context;
  MsTimingLog *log;
  GCancellable *cancellable;
} MsDeviceRun;

/** MsTransferForm: how buffers are written and read; %MS_TRANSFER_AUTO follows ms_staging_lanes_for(). */
typedef enum {
  MS_TRANSFER_AUTO,
  MS_TRANSFER_PLAIN,
  MS_TRANSFER_STAGED,
} MsTransferForm;

MsContext *ms_context_new(MsDevice *device, GError **error);
MsContext *ms_context_new_sibling(MsContext *self, GError **error);
MsDevice *ms_context_get_device(MsContext *self);
const MsDeviceLimits *ms_context_get_limits(MsContext *self);
cl_context ms_context_get_cl(MsContext *self);
cl_command_queue ms_context_get_queue(MsContext *self);
void ms_context_set_cache_folder(MsContext *self, const char *folder);
void ms_context_set_transfer_form(MsContext *self, MsTransferForm form);
void ms_context_set_processors(MsContext *self, guint processors);

void ms_context_lock_kernels(MsContext *self);
void ms_context_unlock_kernels(MsContext *self);
MsProgram *ms_context_build(MsContext *self, MsProgramSpec *spec, MsTimingLog *log, GError **error);
GPtrArray *ms_context_list_programs(MsContext *self);
cl_mem ms_context_create_buffer(MsContext *self, cl_mem_flags flags, gsize bytes, void *host, GError **error);
cl_mem ms_context_borrow_buffer(MsContext *self, gsize bytes, GError **error);
void ms_context_return_buffer(MsContext *self, cl_mem buffer);
MsNDRange ms_nd_range_of_groups(gsize groups, gsize group);
gboolean ms_context_finish(MsContext *self, GError **error);
gboolean ms_context_mark(MsContext *self, cl_event *marker, GError **error);
MsStagedTransfer *ms_context_start_transfer(MsContext *self, const MsStagedWork *work);
void ms_context_record_launches(MsContext *self, GArray *launches);
gboolean ms_context_launch(MsContext *self, const MsLaunch *launch, MsTimingLog *log, GError **error);

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

gboolean ms_context_probe(MsContext *context, GError **error);
gboolean ms_context_works(MsContext *context, GError **error);
