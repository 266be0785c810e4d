/* SPDX-License-Identifier: MIT */
/* MsStaging: transfers pageable host memory to and from a device through pinned blocks, which several threads fill. */
#pragma once

#include <gio/gio.h>

#include "core/opencl/device.h"
#include "core/opencl/kept-memory.h"
#include "core/opencl/timing.h"

typedef struct _MsStaging MsStaging;

/** MsStagedPart: @bytes of host memory, at least one, that are copied to or from a place on the device. */
typedef struct {
  cl_mem buffer;
  gsize offset;
  gsize bytes;
  guint8 *host;
} MsStagedPart;

/**
 * MsStagedNext: what is known of the next part of a transfer.
 * @MS_STAGED_LATER: it is not known yet; only where nobody waits for it
 */
typedef enum {
  MS_STAGED_PART,
  MS_STAGED_LATER,
  MS_STAGED_END,
  MS_STAGED_GIVEN_UP,
} MsStagedNext;

/**
 * MsStagedWork: a transfer of parts, which are asked for one after the other and keep in step with other queues; its
 * functions but @arrived are called from the thread that makes the calls to the driver.
 * @host: where the host memory of all parts begins, of @bytes; no part has more than @most_bytes
 * @most_parts: that there can be
 * @apart: whether parts are waited for, for other reasons than the device, so that each has its own row of the log
 * @direct: whether the host memory is pinned, so that nothing is copied
 * @next: says which is part @index, and with @wait waits until that is known; @part: (out)
 * @ready: (nullable): whether a part may be enqueued now; with @wait it waits for that, and %FALSE gives the transfer
 *   up. @after: (out) (transfer full) (nullable): the command that the transfer of the part waits for
 * @enqueued: (nullable): the last bytes of the part are enqueued; @last: (transfer none): ends when all are transferred
 * @arrived: (nullable): all bytes of a part of a download are in the host's memory; called from any thread
 * @failed: (nullable): a call failed, so that no more parts are enqueued
 */
typedef struct {
  gboolean upload;
  const guint8 *host;
  gsize bytes;
  gsize most_bytes;
  guint most_parts;
  gboolean apart;
  gboolean direct;
  MsStagedNext (*next)(guint index, gboolean wait, MsStagedPart *part, gpointer data);
  gboolean (*ready)(guint part, gboolean wait, cl_event *after, gpointer data);
  void (*enqueued)(guint part, cl_event last, gpointer data);
  void (*arrived)(guint part, gpointer data);
  void (*failed)(gpointer data);
  gpointer data;
} MsStagedWork;

typedef struct _MsStagedTransfer MsStagedTransfer;

guint ms_staging_threads_for(const MsDeviceLimits *limits, guint processors, gsize bytes);
MsStaging *ms_staging_new(cl_context context, cl_command_queue queue, gsize most_bytes, GError **error);
void ms_staging_free(MsStaging *self);
gboolean ms_staging_move(MsStaging *self, gboolean upload, guint threads, const MsStagedPart *part, MsTimingLog *log,
                         GError **error);
MsStagedTransfer *ms_staging_start(MsStaging *self, guint threads, const MsStagedWork *work);
gboolean ms_staged_transfer_end(MsStagedTransfer *self, MsTimingLog *log, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsStaging, ms_staging_free)
