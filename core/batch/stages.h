/* SPDX-License-Identifier: MIT */
/* What happens to one image on its way through the runner: measure, decode, filter, verify, save. No threads here. */
#pragma once

#include "core/batch/runner.h"

G_BEGIN_DECLS

/**
 * MsWork: an image on its way. @content: (nullable): of a pipe, until it is decoded; @bytes: what it takes of the
 * memory limit.
 */
typedef struct {
  MsBatchItem *item;
  GBytes *content;
  MsImage *source;
  MsImage *result;
  guint64 bytes;
} MsWork;

void ms_work_free(MsWork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsWork, ms_work_free)

guint64 ms_stage_bytes(guint64 width, guint64 height, gboolean verify);
gboolean ms_stage_measure(MsWork *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error);
gboolean ms_stage_decode(MsWork *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error);
gboolean ms_stage_filter(MsWork *work, const MsRunnerOptions *options, MsBatchEngine *engine, GCancellable *cancellable,
                         GError **error);
gboolean ms_stage_verify(MsWork *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error);
gboolean ms_stage_save(MsWork *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error);

G_END_DECLS
