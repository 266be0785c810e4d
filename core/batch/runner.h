/* SPDX-License-Identifier: MIT */
/*
 * Runs a batch: threads decode and encode images while the calling thread drives the device; a memory limit bounds the
 * images in flight.
 */
#pragma once

#include "core/batch/batch.h"
#include "core/engine/engine.h"

/**
 * MsRunnerOptions:
 * @request: what is asked of the batch
 * @keep_log: whether items keep their timings
 * @memory_runtime: bytes of the program and the driver if the request's limit includes these and the buffers of the
 *   device; 0 if it is for images alone
 * @memory: the images' share of the limit or its default; set by the runner
 * @encoder_threads: that may encode one image; set by the runner
 * @engine_copies: how many copies of the rows of a band with its halo the engine makes
 * @inspected_copies: how many copies of the rows that it gets @inspect makes
 * @is_worker: whether the process ends right after the run, so that the system closes the device, and a supervisor
 *   records how the items ended
 */
typedef struct {
  const MsBatchRequest *request;
  gboolean keep_log;
  guint64 memory_runtime;
  guint64 memory;
  guint encoder_threads;
  guint engine_copies;
  guint inspected_copies;
  gboolean is_worker;
} MsRunnerOptions;

/**
 * MsInspection: the rows of an item that are in memory, before and after filtering.
 * @first_row: the first of them; 0 for a whole image and for its first band, also when the image is filtered again
 * @context: (nullable): the device on which statistics of these rows are computed; no other thread uses it then
 */
typedef struct {
  MsBatchItem *item;
  MsImage *source;
  MsImage *result;
  int first_row;
  MsContext *context;
} MsInspection;

/**
 * MsItemEvent: what happens to an item; of all but @MS_ITEM_SAVING one is told at a time.
 * @MS_ITEM_STARTED: its decoding or filtering begins
 * @MS_ITEM_WAITS: it is decoded and waits for the device
 * @MS_ITEM_SAVING: its output is complete, as its @result says, and is given its name now
 * @MS_ITEM_FINISHED: it is done, failed or skipped
 */
typedef enum {
  MS_ITEM_STARTED,
  MS_ITEM_WAITS,
  MS_ITEM_SAVING,
  MS_ITEM_FINISHED,
} MsItemEvent;

/**
 * MsRunnerHooks: the caller's functions. Only @open must be set.
 * @open: (transfer full): opens the engine while the first images are being decoded; on the calling thread
 * @inspect: called on the calling thread while source and result are in memory; may set the item's @summary. An image
 *   that is filtered in bands is passed band by band, from top to bottom, on any thread
 * @happened: something happened to an item; on any thread
 * @progress: the finished share of the image that is being filtered, on the calling thread
 * @problem: an error that belongs to no item, such as a manifest that cannot be written; one call at a time
 */
typedef struct {
  MsEngine *(*open)(gpointer data, GError **error);
  gboolean (*inspect)(const MsInspection *rows, gpointer data, GError **error);
  void (*happened)(MsBatchItem *item, MsItemEvent event, gpointer data);
  void (*progress)(MsBatchItem *item, double done, gpointer data);
  void (*problem)(const char *sentence, gpointer data);
  gpointer data;
} MsRunnerHooks;

void ms_runner_report(const MsRunnerOptions *options, const MsRunnerHooks *hooks, MsBatchItem *item);
gboolean ms_runner_run(GPtrArray *items, const MsRunnerOptions *options, const MsRunnerHooks *hooks,
                       GCancellable *cancellable, GError **error);
