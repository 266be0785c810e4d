/* SPDX-License-Identifier: MIT */
/* MsFilterJob: a filter request, carried out by the worker thread: the visible part first, then the whole picture. */
#pragma once

#include "core/engine/engine.h"
#include "ui/run/run.h"

/**
 * MsFilterJob:
 * @visible: the part of the picture that is on the screen, computed first; empty for none
 * @engine: filters the image
 * @piece: called on the worker thread with each finished part
 * @progress: called on the worker thread after each band with the finished share
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
