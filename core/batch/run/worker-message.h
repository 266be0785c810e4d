/* SPDX-License-Identifier: MIT */
/*
 * Messages between the supervisor of a batch and its worker: serialised GVariants preceded by their length. Both ends
 * run the same program, so plain structures are sent as bytes.
 */
#pragma once

#include "core/batch/item.h"

/**
 * MsWorkerMessageKind:
 * @MS_WORKER_DEVICE: the device is open; payload: its name, platform, driver and type
 * @MS_WORKER_STARTED: decoding or filtering of the item begins; no payload
 * @MS_WORKER_WAITS: the item is decoded and waits for the device; no payload
 * @MS_WORKER_PROGRESS: payload: rows done and rows in all
 * @MS_WORKER_FINISHED: payload: what ms_worker_message_take_result() reads
 * @MS_WORKER_PROBLEM: payload: an error that belongs to no item
 * @MS_WORKER_ENDED: the last message; payload: error code and sentence, empty when all is done
 */
typedef enum {
  MS_WORKER_DEVICE,
  MS_WORKER_STARTED,
  MS_WORKER_WAITS,
  MS_WORKER_PROGRESS,
  MS_WORKER_FINISHED,
  MS_WORKER_PROBLEM,
  MS_WORKER_ENDED,
} MsWorkerMessageKind;

gboolean ms_worker_message_write(int fd, GVariant *message);
GVariant *ms_worker_message_read(int fd);

GVariant *ms_worker_message_new(MsWorkerMessageKind kind, guint index, GVariant *payload);
MsWorkerMessageKind ms_worker_message_parse(GVariant *message, guint *index, GVariant **payload);

GVariant *ms_worker_message_new_jobs(GPtrArray *items);
GPtrArray *ms_worker_message_get_jobs(GVariant *message);
GVariant *ms_worker_message_new_result(const MsBatchItem *item);
void ms_worker_message_take_result(GVariant *payload, MsBatchItem *item);
