/* SPDX-License-Identifier: MIT */
/*
 * MsFilterJob: one filter request as the worker thread carries it out: what is visible first, then the whole picture.
 */
#pragma once

#include "core/engine/engine.h"
#include "ui/run/run.h"

G_BEGIN_DECLS

/**
 * MsFilterJob:
 * @visible: the part of the picture that is on the screen, computed first; empty for none
 * @engine: filters the image
 * @piece: called with each part as it is ready, on the thread that computes
 * @progress: called with the share that is done after each band, on the thread that computes
 */
typedef struct {
  MsImage *source;
  MsSettings settings;
  MsRegion visible;
  MsEngine *engine;
  GCancellable *cancellable;
  void (*piece)(MsImage *piece, const MsRegion *region, gpointer data);
  void (*progress)(double done, gpointer data);
  gpointer data;
} MsFilterJob;

MsRun *ms_filter_job_run(const MsFilterJob *self, GError **error);

G_END_DECLS
