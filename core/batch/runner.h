/* SPDX-License-Identifier: MIT */
/*
 * Runs a batch: threads decode and encode images while the calling thread drives the device; a memory limit bounds the
 * images in flight.
 */
#pragma once

#include "core/batch/batch.h"
#include "core/batch/event.h"
#include "core/engine/engine.h"

typedef struct _MsInspection MsInspection;

/**
 * MsBatchRun: a run of a batch. Only @request and, in the process with the device, @open must be set.
 * @request: what is asked of the batch
 * @open: (transfer full): opens the engine while the first images are being decoded; on the calling thread
 * @inspect: called on the calling thread while source and result are in memory; may set the item's @summary. An image
 *   that is filtered in bands is passed band by band, from top to bottom, on any thread
 * @data: for both
 * @event: takes the device and what happens to items; the progress is that of the image on the calling thread
 * @event_data: for @event
 * @cancellable: (nullable)
 * @keep_log: whether items keep their timings
 * @memory_runtime: bytes of the program and the driver if the request's limit includes these and the buffers of the
 *   device; 0 if it is for images alone
 * @memory: the images' share of the limit or its default; set by the runner
 * @encoder_threads: that may encode one image; set by the runner
 * @engine_copies: how many copies of the rows of a band with its halo the engine makes
 * @inspected_copies: how many copies of the rows that it gets @inspect makes
 * @keeps_devices: whether the process ends right after the run, so that the system closes the devices
 */
typedef struct {
  const MsBatchRequest *request;
  MsEngine *(*open)(gpointer data, GError **error);
  gboolean (*inspect)(const MsInspection *rows, gpointer data, GError **error);
  gpointer data;
  MsBatchEventFunc event;
  gpointer event_data;
  GCancellable *cancellable;
  gboolean keep_log;
  guint64 memory_runtime;
  guint64 memory;
  guint encoder_threads;
  guint engine_copies;
  guint inspected_copies;
  gboolean keeps_devices;
} MsBatchRun;

/**
 * MsInspection: the rows of an item that are in memory, before and after filtering.
 * @first_row: the first of them; 0 for a whole image and for its first band, also when the image is filtered again
 * @context: (nullable): the device on which statistics of these rows are computed; no other thread uses it then
 */
struct _MsInspection {
  MsBatchItem *item;
  MsImage *source;
  MsImage *result;
  int first_row;
  MsContext *context;
};

void ms_batch_run_tell(const MsBatchRun *self, MsBatchEvent *event);
gboolean ms_runner_run(GPtrArray *items, const MsBatchRun *run, GError **error);
