/* SPDX-License-Identifier: MIT */
/* The state of a run, which its threads share. */
#pragma once

#include "core/batch/run/batch-image.h"

/**
 * MsRunner: the state of a run. One lock guards everything but the pixels of an image in work.
 * @next: index of the item whose header is read next
 * @unfiltered: items that may still reach the device
 * @unfinished: items that are neither done, failed nor skipped
 * @decode_ahead: how many images may be decoded or wait for the device
 * @opening: the device, which takes no images yet
 * @measured: (nullable): an image that has been measured and waits for memory
 * @engines: of the lanes, which are closed when every result is saved
 * @memory_used: bytes of the images in work
 */
typedef struct {
  GPtrArray *items;
  const MsRunnerOptions *options;
  const MsRunnerHooks *hooks;
  GCancellable *cancellable;
  GMutex lock;
  GCond changed;
  guint next;
  guint unfiltered;
  guint unfinished;
  guint decoding;
  guint decode_ahead;
  gboolean opening;
  gboolean measuring;
  gboolean stopped;
  GPtrArray *engines;
  MsBatchImage *measured;
  GQueue decoded;
  GQueue filtered;
  guint64 memory_used;
} MsRunner;

void ms_runner_call_hook(const MsRunner *self, void (*hook)(MsBatchItem *, gpointer), MsBatchItem *item);
void ms_runner_finish_item(MsRunner *self, MsBatchItem *item, gboolean was_filtered);
void ms_runner_fail_item(MsRunner *self, MsBatchItem *item, const GError *error, gboolean was_filtered);
void ms_runner_release(MsRunner *self, MsBatchImage *work);
void ms_runner_settle_saved(MsRunner *self, MsBatchImage *work, const GError *error);
