/* SPDX-License-Identifier: MIT */
/* Private members of MsDocument, for its files on settings, filtering and runs. */
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

  GCancellable *cancellable; /* of the running request, NULL when there is none */
  GPtrArray *pieces;
  gboolean wanted;
  gboolean shown;
  gint64 started_us;
  guint cancel_timer;
  double progress;
};

G_END_DECLS
