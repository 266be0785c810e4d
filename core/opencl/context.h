/* SPDX-License-Identifier: MIT */
/* MsContext: an open device: its OpenCL context, its in-order profiling queue and the programs built so far. */
#pragma once

#include <gio/gio.h>

#include "core/opencl/cl.h"
#include "core/opencl/device.h"
#include "core/opencl/kept-memory.h"
#include "core/opencl/program.h"
#include "core/opencl/staging.h"
#include "core/opencl/timing.h"

/**
 * MS_CONTEXT_PROBE_VARIABLE: the environment variable whose presence makes a process try each device that it chooses,
 * although an earlier process found that it works.
 */
#define MS_CONTEXT_PROBE_VARIABLE "MEANSHIFT_LAB_PROBE"

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

/** MsTransferForm: how buffers are written and read; %MS_TRANSFER_AUTO follows ms_staging_threads_for(). */
typedef enum {
  MS_TRANSFER_AUTO,
  MS_TRANSFER_PLAIN,
  MS_TRANSFER_STAGED,
} MsTransferForm;

/**
 * MsContext: is counted by references. Others read @device, @cl and @queue, and set @cache_folder,
 * @processors and @transfer_form.
 * @root: (nullable): the context whose programs a sibling shares
 * @programs: ms_program_spec_identify() -> MsProgram
 * @build_lock: guards @programs: siblings build from several threads
 * @kernel_lock: held by the sibling whose kernels run
 * @kept: buffers that were returned
 * @cache_folder: (nullable): of program binaries
 * @processors: of the host, which bound the threads of a large transfer; first all, and siblings made later inherit it
 * @transfer_form: not %MS_TRANSFER_AUTO for measurements that compare the forms
 * @staging: (nullable): created by the first transfer that uses it
 * @moved_bytes: by transfers that are large enough for @staging, its own and those of siblings in pieces
 * @pinned: (nullable): for results; siblings use that of @root
 * @has_siblings: atomic
 * @works: whether it is known that the device computes a trivial kernel
 * @by_wall_clock: whether commands are timed by the wall clock, see device-clock.h
 * @launches: (nullable): a MsLaunch for each kernel and work-group that was launched since recording began
 */
typedef struct MsContext {
  MsDevice *device;
  cl_context cl;
  cl_command_queue queue;
  struct MsContext *root;
  GHashTable *programs;
  GMutex build_lock;
  GMutex kernel_lock;
  MsKeptBuffers kept;
  char *cache_folder;
  guint processors;
  MsTransferForm transfer_form;
  MsStaging *staging;
  guint64 moved_bytes;
  MsPinnedMemory *pinned;
  gint has_siblings;
  GArray *launches;
  gboolean cannot_stage;
  gboolean works;
  gboolean by_wall_clock;
} MsContext;

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

MsContext *ms_context_new(MsDevice *device, GError **error);
MsContext *ms_context_new_sibling(MsContext *self, GError **error);
MsContext *ms_context_ref(MsContext *self);
void ms_context_unref(MsContext *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsContext, ms_context_unref)

MsContext *ms_context_root(MsContext *self);
void ms_context_lock_kernels(MsContext *self);
void ms_context_unlock_kernels(MsContext *self);
MsProgram *ms_context_build(MsContext *self, MsProgramSpec *spec, MsTimingLog *log, GError **error);
cl_kernel ms_kernel_new(MsContext *context, MsProgramSpec *spec, const char *name, MsTimingLog *log, GError **error);
GPtrArray *ms_context_list_programs(MsContext *self);
MsNDRange ms_nd_range_of_groups(gsize groups, gsize group);
void ms_context_record_launches(MsContext *self, GArray *launches);
guint64 ms_context_begin_command(MsContext *self, MsTimingLog *log);
void ms_context_log_command(MsContext *self, guint64 begun_ns, const MsTiming *row, cl_event event, MsTimingLog *log);
gboolean ms_context_launch(MsContext *self, const MsLaunch *launch, MsTimingLog *log, GError **error);

gboolean ms_context_probe(MsContext *context, GError **error);
gboolean ms_context_works(MsContext *context, GError **error);
