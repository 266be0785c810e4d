/* SPDX-License-Identifier: MIT */
/* MsBatchImage: an image that passes through the stages of a batch: measure, decode, filter, verify, save. */
#pragma once

#include "core/batch/runner.h"
#include "core/batch/streamed-result.h"

/**
 * MsBatchImage: an image in flight.
 * @request: of the @run
 * @input: (nullable): the open file, with a pipe's bytes, until it is decoded
 * @bytes: its share of the memory limit
 * @is_streamed: whether it exceeds the memory and @file says how it is filtered in bands
 * @saves_memory: whether its encoder must, see #MsSaveOptions
 * @name: of its input in messages
 */
typedef struct {
  MsBatchItem *item;
  const MsBatchRequest *request;
  const MsBatchRun *run;
  MsImageFile *input;
  MsImage *source;
  MsImage *result;
  guint64 bytes;
  gboolean is_streamed;
  gboolean saves_memory;
  MsStreamedFile file;
  char *name;
} MsBatchImage;

MsBatchImage *ms_batch_image_new(MsBatchItem *item, const MsBatchRun *run);
void ms_batch_image_free(MsBatchImage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsBatchImage, ms_batch_image_free)

gboolean ms_stage_measure(MsBatchImage *work, GError **error);
gboolean ms_stage_decode(MsBatchImage *work, GError **error);
gboolean ms_stage_filter(MsBatchImage *work, MsEngine *engine, MsProgressFunc progress, GError **error);
gboolean ms_stage_verify(MsBatchImage *work, GError **error);
gboolean ms_stage_save(MsBatchImage *work, GError **error);
gboolean ms_stage_stream(MsBatchImage *work, MsEngine *engine, MsProgressFunc progress, GError **error);
