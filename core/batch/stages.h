/* SPDX-License-Identifier: MIT */
/*
 * The stages of one image in the runner: measure, decode, filter, verify, save; none starts threads. An image that
 * exceeds the memory is filtered and saved in one stage.
 */
#pragma once

#include "core/batch/runner.h"
#include "core/batch/stream/streamed-result.h"

G_BEGIN_DECLS

/**
 * MsBatchImage: an image in flight. @content: (nullable): a pipe's bytes, until they are decoded; @bytes: its share of
 * the memory limit; @is_streamed: whether it exceeds the memory and @file says how it is filtered in bands.
 */
typedef struct {
  MsBatchItem *item;
  GBytes *content;
  MsImage *source;
  MsImage *result;
  guint64 bytes;
  gboolean is_streamed;
  MsStreamedFile file;
  char *name;
} MsBatchImage;

void ms_batch_image_free(MsBatchImage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsBatchImage, ms_batch_image_free)

gboolean ms_stage_measure(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable,
                          GError **error);
gboolean ms_stage_decode(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error);
gboolean ms_stage_filter(MsBatchImage *work, const MsRunnerOptions *options, MsEngine *engine,
                         GCancellable *cancellable, GError **error);
gboolean ms_stage_stream(MsBatchImage *work, const MsRunnerOptions *options, MsEngine *engine, MsProgressFunc progress,
                         gpointer progress_data, GCancellable *cancellable, GError **error);
gboolean ms_stage_verify(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error);
gboolean ms_stage_save(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error);

G_END_DECLS
