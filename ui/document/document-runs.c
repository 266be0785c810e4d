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

/* The moves of one drag are one step of the history and one run, unless an earlier move is used for comparisons. */
static gboolean
continues_newest(MsDocument *self, MsRun *run)
{
  MsRun *newest = ms_run_list_get_newest(self->runs);

  return newest && self->newest_step == self->request_step &&
         !ms_settings_equal(ms_run_get_requested(newest), ms_run_get_requested(run)) && newest != self->run_a &&
         newest != self->run_b && !ms_run_is_baseline(newest);
}

/** ms_document_add_run: appends a finished run and shows it; a further move of one drag replaces the newest run. */
void
ms_document_add_run(MsDocument *self, MsRun *run)
{
  if (continues_newest(self, run))
    ms_run_list_replace_newest(self->runs, run);
  else
    ms_run_list_add(self->runs, run);
  self->newest_step = self->request_step;
  set_current(self, run);
}

/** ms_document_get_runs: (transfer none): the runs (MsRun), oldest first. */
GListModel *
ms_document_get_runs(MsDocument *self)
{
  return G_LIST_MODEL(self->runs);
}

/** ms_document_get_newest_run: (transfer none) (nullable): the run that was made last. */
MsRun *
ms_document_get_newest_run(MsDocument *self)
{
  return ms_run_list_get_newest(self->runs);
}

/** ms_document_get_current_run: (transfer none) (nullable): the newest finished run, or the one that was restored. */
MsRun *
ms_document_get_current_run(MsDocument *self)
{
  return self->current;
}

/* A removed run, its position, and whether it was side A, side B or the baseline. */
typedef struct {
  MsRun *run;
  guint position;
  gboolean baseline;
  gboolean a;
  gboolean b;
  gboolean current;
} MsRemovedRun;

static void
removed_run_free(gpointer data)
{
  MsRemovedRun *removed = data;

  g_object_unref(removed->run);
  g_free(removed);
}

/* The bound on memory does not count pictures of removed runs, so only the last one keeps its picture. */
static void
note_removed(MsDocument *self, MsRemovedRun *removed)
{
  if (!self->removed)
    self->removed = g_ptr_array_new_with_free_func(removed_run_free);
  if (self->removed->len > 0)
    ms_run_drop_result(((MsRemovedRun *)self->removed->pdata[self->removed->len - 1])->run);
  g_ptr_array_add(self->removed, removed);
}

/** ms_document_remove_run: removes a run; a side that showed it shows the source or the newest run. */
void
ms_document_remove_run(MsDocument *self, MsRun *run)
{
  MsRemovedRun *removed = g_new0(MsRemovedRun, 1);

  *removed = (MsRemovedRun){.run = g_object_ref(run),
                            .baseline = ms_run_is_baseline(run),
                            .a = run == self->run_a,
                            .b = run == self->run_b,
                            .current = run == self->current};
  note_removed(self, removed);
  self->newest_step = G_MAXUINT;
  removed->position = ms_run_list_remove(self->runs, run);
  if (removed->a)
    ms_document_set_run_a(self, NULL);
  if (removed->b)
    ms_document_set_run_b(self, NULL);
  if (removed->current)
    set_current(self, ms_run_list_get_newest(self->runs));
}

/** ms_document_get_removed_run: (transfer none) (nullable): the run that ms_document_undo_removal() puts back. */
MsRun *
ms_document_get_removed_run(MsDocument *self)
{
  guint n = self->removed ? self->removed->len : 0;

  return n > 0 ? ((MsRemovedRun *)self->removed->pdata[n - 1])->run : NULL;
}

/** ms_document_undo_removal: restores the run that was removed last, with its position and uses. */
void
ms_document_undo_removal(MsDocument *self)
{
  if (!ms_document_get_removed_run(self))
    return;
  MsRemovedRun *removed = g_ptr_array_steal_index(self->removed, self->removed->len - 1);

  ms_run_list_insert(self->runs, removed->run, removed->position);
  if (removed->baseline)
    ms_run_list_set_baseline(self->runs, removed->run);
  if (removed->a)
    ms_document_set_run_a(self, removed->run);
  if (removed->b)
    ms_document_set_run_b(self, removed->run);
  if (removed->current && !self->cancellable)
    set_current(self, removed->run);
  removed_run_free(removed);
}

/* To be called when the document is disposed. */
void
ms_document_forget_removed_runs(MsDocument *self)
{
  g_clear_pointer(&self->removed, g_ptr_array_unref);
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
  ms_document_set_settings(self, ms_run_get_requested(run));
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
