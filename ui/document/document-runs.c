/* SPDX-License-Identifier: MIT */
#include "ui/document/document-runs.h"

#include "ui/document/document-filter.h"
#include "ui/document/document-private.h"
#include "ui/document/document-settings.h"

/* @run: (nullable): shown on side B unless another run was chosen for it */
static void
set_current(MsDocument *self, MsRun *run)
{
  g_set_object(&self->current, run);
  ms_run_list_pin(self->runs, self->current, self->run_a, self->run_b);
  g_object_notify(G_OBJECT(self), "current-run");
  if (!self->run_b)
    g_object_notify(G_OBJECT(self), "run-b");
}

/** ms_document_add_run: appends a finished run and shows it. */
void
ms_document_add_run(MsDocument *self, MsRun *run)
{
  ms_run_list_add(self->runs, run);
  set_current(self, run);
}

/** ms_document_get_runs: (transfer none): the runs (MsRun), oldest first. */
GListModel *
ms_document_get_runs(MsDocument *self)
{
  return G_LIST_MODEL(self->runs);
}

/** ms_document_get_current_run: (transfer none) (nullable): the newest finished run, or the one that was restored. */
MsRun *
ms_document_get_current_run(MsDocument *self)
{
  return self->current;
}

/** ms_document_remove_run: removes a run; a side that showed it shows the source or the newest run. */
void
ms_document_remove_run(MsDocument *self, MsRun *run)
{
  g_autoptr(MsRun) held = g_object_ref(run);

  ms_run_list_remove(self->runs, run);
  if (self->run_a == held)
    ms_document_set_run_a(self, NULL);
  if (self->run_b == held)
    ms_document_set_run_b(self, NULL);
  if (self->current == held)
    set_current(self, ms_run_list_get_newest(self->runs));
}

/**
 * ms_document_get_baseline: (transfer none) (nullable): the run that others are compared with; the first run unless
 * set.
 */
MsRun *
ms_document_get_baseline(MsDocument *self)
{
  return ms_run_list_get_baseline(self->runs);
}

void
ms_document_set_baseline(MsDocument *self, MsRun *run)
{
  ms_run_list_set_baseline(self->runs, run);
}

/** ms_document_restore_run: applies the settings of @run; nothing is computed if its picture is still in memory. */
void
ms_document_restore_run(MsDocument *self, MsRun *run)
{
  gboolean live = self->live;

  self->live = live && !ms_run_has_result(run);
  ms_document_set_settings(self, ms_run_get_requested(run), NULL);
  self->live = live;
  if (!ms_run_has_result(run))
    return;
  ms_document_cancel(self);
  set_current(self, run);
}

/** ms_document_set_memory_bound: sets how many bytes the pictures of all runs may use together. */
void
ms_document_set_memory_bound(MsDocument *self, guint64 bytes)
{
  ms_run_list_set_bound(self->runs, bytes);
}

/* The two sides compared */

MsRun *
ms_document_get_run_a(MsDocument *self)
{
  return self->run_a;
}

MsRun *
ms_document_get_run_b(MsDocument *self)
{
  return self->run_b;
}

static void
set_side(MsDocument *self, MsRun **side, MsRun *run, const char *property)
{
  if (!g_set_object(side, run))
    return;
  ms_run_list_pin(self->runs, self->current, self->run_a, self->run_b);
  g_object_notify(G_OBJECT(self), property);
}

/** ms_document_set_run_a: @run: (nullable): what the left side shows, %NULL for the source. */
void
ms_document_set_run_a(MsDocument *self, MsRun *run)
{
  set_side(self, &self->run_a, run, "run-a");
}

/** ms_document_set_run_b: @run: (nullable): what the right side shows, %NULL for the current run. */
void
ms_document_set_run_b(MsDocument *self, MsRun *run)
{
  set_side(self, &self->run_b, run, "run-b");
}

/**
 * ms_document_get_picture_a: (transfer none) (nullable): the picture of side A; %NULL if it was removed to save memory.
 */
MsImage *
ms_document_get_picture_a(MsDocument *self)
{
  return self->run_a ? ms_run_get_result(self->run_a) : self->source;
}

/** ms_document_get_shown_run: (transfer none) (nullable): the run that side B shows; %NULL before the first run. */
MsRun *
ms_document_get_shown_run(MsDocument *self)
{
  return self->run_b ? self->run_b : self->current;
}

/** ms_document_is_stale: whether side B shows a picture that was filtered with other settings than the current ones. */
gboolean
ms_document_is_stale(MsDocument *self)
{
  MsRun *run = ms_document_get_shown_run(self);

  return run && !ms_settings_equal(ms_run_get_requested(run), ms_document_get_settings(self));
}

/** ms_document_get_picture_b: (transfer none) (nullable): the picture of side B; %NULL before the first run. */
MsImage *
ms_document_get_picture_b(MsDocument *self)
{
  MsRun *run = ms_document_get_shown_run(self);

  return run ? ms_run_get_result(run) : NULL;
}
