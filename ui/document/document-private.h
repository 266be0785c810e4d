/* SPDX-License-Identifier: MIT */
/* What the parts of MsDocument (settings, filtering, runs) share. */
#pragma once

#include "ui/document/document.h"
#include "ui/document/history.h"
#include "ui/run/run-list.h"

G_BEGIN_DECLS

struct _MsDocument {
  GObject parent_instance;
  MsWindowEngine *engine;
  MsImage *source;
  GFile *file;
  char *title;
  MsHistory *history;
  MsRunList *runs;
  MsRun *current;
  MsRun *run_a;
  MsRun *run_b;
  MsRegion visible;
  gboolean live;

  GCancellable *cancellable; /* of the request that runs, NULL when none does */
  GPtrArray *pieces;
  gboolean wanted;
  gboolean shown;
  gint64 started_us;
  guint cancel_timer;
  double progress;
};

void ms_document_add_run(MsDocument *self, MsRun *run);

G_END_DECLS
