/* SPDX-License-Identifier: MIT */
/*
 * MsBatchEvent: what happens in a batch. The struct goes to one function of whoever runs the batch; by its table it is
 * the message from the process with the device, and the line of --progress json, which the window reads.
 */
#pragma once

#include "core/batch/item.h"
#include "core/record/record.h"

/**
 * MsBatchEventKind: those up to @MS_BATCH_PROBLEM have a name in files; of an item but for saving, one is told at a
 * time.
 * @MS_BATCH_PLANNED: an item is in the list
 * @MS_BATCH_STARTED: its decoding or filtering begins
 * @MS_BATCH_PROGRESS: a fraction of the item that is being filtered is done
 * @MS_BATCH_FINISHED: it is done, failed or skipped
 * @MS_BATCH_PROBLEM: an error that belongs to no item, such as a manifest that cannot be written
 * @MS_BATCH_WAITS: an item is decoded and waits for the device
 * @MS_BATCH_SAVING: its output is complete, as its @result says, and is given its name now
 * @MS_BATCH_DEVICE: the device is open
 * @MS_BATCH_NOTE: a sentence for people on the device or a pipe
 */
typedef enum {
  MS_BATCH_PLANNED,
  MS_BATCH_STARTED,
  MS_BATCH_PROGRESS,
  MS_BATCH_FINISHED,
  MS_BATCH_PROBLEM,
  MS_BATCH_WAITS,
  MS_BATCH_SAVING,
  MS_BATCH_DEVICE,
  MS_BATCH_NOTE,
} MsBatchEventKind;

/**
 * MsBatchEvent:
 * @item: (nullable): not in files
 * @fraction: of the item, 0 to 1
 * @sentence: (nullable): of a problem or a note, in the user's language
 * @device: the open device; not in files
 * @seq: from here on what files say of the item, see ms_batch_event_describe(); 0 before that
 * @message, @shown: (nullable): why it failed or was skipped, or a note on it, in English and as it is shown
 * @kernel_ms: the kernels' time of all repeats; NAN before they have run
 */
typedef struct {
  MsBatchEventKind kind;
  MsBatchItem *item;
  double fraction;
  const char *sentence;
  MsEngineInfo device;
  guint64 seq;
  char *input;
  char *output;
  MsItemStatus status;
  char *message;
  char *shown;
  int width;
  int height;
  double kernel_ms;
} MsBatchEvent;

/** MsBatchEventFunc: takes an event; on any thread of a runner. */
typedef void (*MsBatchEventFunc)(MsBatchEvent *event, gpointer data);

extern const MsRecord ms_batch_event_record;

void ms_batch_event_describe(MsBatchEvent *self);
void ms_batch_event_clear(MsBatchEvent *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsBatchEvent, ms_batch_event_clear)

GVariant *ms_batch_event_to_message(MsBatchEvent *self);
void ms_batch_event_take(MsBatchEvent *self, GVariant *message);
