/* SPDX-License-Identifier: MIT */
/* Private members of MsDocument, for its files on filtering and runs. */
#pragma once

#include "core/engine/tuned.h"
#include "ui/document/document.h"

struct _MsDocument {
  GObject parent_instance;
  MsWindowEngine *engine;
  MsKnownWinners winners; /* of tuning, that were looked for */
  MsImage *source;
  GFile *file;
  char *title;
  GArray *steps; /* of the history of the settings, the current one at @position */
  guint position;
  guint n_steps;       /* that were made so far */
  MsSettings told;     /* the settings of the last notification */
  const char *merging; /* (nullable): interned: the option whose next change may replace the last one */
  gint64 changed_us;
  gboolean dragging;
  GListStore *runs; /* MsRun, oldest first */
  MsRun *baseline;  /* (nullable) */
  guint n_runs;     /* that were added so far */
  guint64 memory_bound;
  MsRun *current;
  MsRun *run_a;
  MsRun *run_b;
  guint newest_step;  /* the step of the history that the newest run belongs to */
  GPtrArray *removed; /* (nullable): what document-runs.c needs to put runs back */
  MsRegion visible;
  gboolean live;

  GCancellable *cancellable; /* of the running request, NULL when there is none */
  GPtrArray *pieces;
  gboolean requested;
  gboolean shown;
  gint64 started_us;
  guint cancel_timer;
  double progress;
  gboolean compiles;  /* whether the running request has to compile its kernels first */
  guint request_step; /* the step of the history that the running request belongs to */

  MsRun *repeated; /* (nullable): the run whose time is measured again */
  guint n_repeats;
  guint repeats_done;

  gboolean holds_kernel;

  GPtrArray *flips;        /* MsRun: measured in the background, not in the list of runs */
  GArray *to_measure;      /* what flips.c measures next; the first is being measured */
  guint n_to_measure;      /* at the start */
  GCancellable *measuring; /* (nullable) */
  guint measuring_timer;
  guint measuring_budget_ms;
  gint64 measuring_until_us;
  MsSettings resolved_from; /* the present settings that @resolved_present belongs to */
  MsSettings resolved_present;
  MsDevice *resolved_for; /* (nullable) (transfer none) */

  gboolean is_pointed;
  MsPointed pointed; /* valid while @is_pointed */
};

void ms_document_tell_shown_run(MsDocument *self);
guint ms_document_get_step(MsDocument *self);
MsRun *ms_document_find_counterpart(MsDocument *self, const MsSettings *requested, int kernel);
void ms_document_add_counterpart(MsDocument *self, MsRun *run);
