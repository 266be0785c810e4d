/* SPDX-License-Identifier: MIT */
/*
 * The runs of a document: equal pictures are kept once, the oldest ones are dropped when they need too much memory, and
 * a run that was removed can be put back.
 */
#include "ui/document/document-private.h"

#include <string.h>

/* Maximum number of runs, so that timings of a long session do not fill the memory. */
#define MAX_RUNS 1000

static guint
n_runs(MsDocument *self)
{
  return g_list_model_get_n_items(G_LIST_MODEL(self->runs));
}

/* (transfer none) */
static MsRun *
run_at(MsDocument *self, guint index)
{
  g_autoptr(MsRun) run = g_list_model_get_item(G_LIST_MODEL(self->runs), index);

  return run;
}

/* The memory of all pictures */

static guint64
picture_bytes(MsDocument *self)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  guint64 bytes = 0;

  for (guint i = 0; i < n_runs(self); i++) {
    MsImage *image = ms_run_get_result(run_at(self, i));
    if (image && g_hash_table_add(seen, image))
      bytes += ms_image_get_byte_size(image);
  }
  return bytes;
}

/* Whether the picture of @run is visible or that of the baseline. */
static gboolean
is_in_use(MsDocument *self, MsRun *run)
{
  MsRun *const used[] = {self->baseline, self->current, self->run_a, self->run_b};

  for (guint i = 0; i < G_N_ELEMENTS(used); i++)
    if (used[i] && ms_run_get_result(used[i]) == ms_run_get_result(run))
      return TRUE;
  return FALSE;
}

/* Drops the oldest pictures until the rest is within the bound; those in use are kept. */
static void
keep_within_bound(MsDocument *self)
{
  guint dropped = 0;

  for (guint i = 0; i < n_runs(self); i++) {
    MsRun *run = run_at(self, i);
    if (!ms_run_has_result(run) || is_in_use(self, run))
      continue;
    if (picture_bytes(self) <= self->memory_bound)
      break;
    ms_run_drop_result(run);
    dropped++;
  }
  if (dropped > 0)
    g_signal_emit_by_name(self, "pictures-dropped", dropped);
}

/** ms_document_set_memory_bound: sets how many bytes the pictures of all runs may use together. */
void
ms_document_set_memory_bound(MsDocument *self, guint64 bytes)
{
  self->memory_bound = bytes;
  keep_within_bound(self);
}

static void
share_equal_picture(MsDocument *self, MsRun *run)
{
  for (guint i = n_runs(self); i-- > 0;) {
    MsRun *other = run_at(self, i);
    if (other == run || !ms_run_has_result(other) || strcmp(ms_run_get_digest(other), ms_run_get_digest(run)) != 0)
      continue;
    ms_run_share_result(run, other);
    return;
  }
}

/* The list */

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
  return n_runs(self) > 0 ? run_at(self, n_runs(self) - 1) : NULL;
}

/** ms_document_count_dropped: the runs of the list whose pictures were removed to save memory. */
guint
ms_document_count_dropped(MsDocument *self)
{
  guint n = 0;

  for (guint i = 0; i < n_runs(self); i++)
    n += !ms_run_has_result(run_at(self, i));
  return n;
}

/** ms_document_get_current_run: (transfer none) (nullable): the newest finished run, or the one that was restored. */
MsRun *
ms_document_get_current_run(MsDocument *self)
{
  return self->current;
}

/* @run: (nullable): shown on side B unless another run was chosen for it */
static void
set_current(MsDocument *self, MsRun *run)
{
  g_set_object(&self->current, run);
  keep_within_bound(self);
  g_object_notify(G_OBJECT(self), "current-run");
  if (!self->run_b)
    ms_document_tell_shown_run(self);
}

/* The moves of one drag are one step of the history and one run, unless an earlier move is used for comparisons. */
static gboolean
continues_newest(MsDocument *self, MsRun *run)
{
  MsRun *newest = ms_document_get_newest_run(self);

  return newest && self->newest_step == self->request_step &&
         !ms_settings_equal(ms_run_get_requested(newest), ms_run_get_requested(run)) && newest != self->run_a &&
         newest != self->run_b && !ms_run_is_baseline(newest);
}

/* The run keeps the number of the newest one, which it replaces, and the name that a person gave that one. */
static void
replace_newest(MsDocument *self, MsRun *run)
{
  MsRun *newest = ms_document_get_newest_run(self), *before = n_runs(self) > 1 ? run_at(self, n_runs(self) - 2) : NULL;

  if (ms_run_is_named_after(newest, before))
    ms_run_name_after(run, before);
  else
    ms_run_set_label(run, ms_run_get_label(newest));
  ms_run_set_number(run, ms_run_get_number(newest));
  ms_run_judge(run, self->baseline);
  g_list_store_splice(self->runs, n_runs(self) - 1, 1, (gpointer *)&run, 1);
}

static void
forget_oldest(MsDocument *self)
{
  for (guint i = 0; i < n_runs(self); i++)
    if (!is_in_use(self, run_at(self, i))) {
      g_list_store_remove(self->runs, i);
      return;
    }
}

/* The run gets a name if it has none; the first one is the baseline. */
static void
append(MsDocument *self, MsRun *run)
{
  if (n_runs(self) >= MAX_RUNS)
    forget_oldest(self);
  if (ms_run_get_label(run)[0] == '\0')
    ms_run_name_after(run, ms_document_get_newest_run(self));
  ms_run_set_number(run, ++self->n_runs);
  if (!self->baseline)
    self->baseline = g_object_ref(run);
  ms_run_judge(run, self->baseline);
  g_list_store_append(self->runs, run);
}

/** ms_document_add_run: appends a finished run and shows it; a further move of one drag replaces the newest run. */
void
ms_document_add_run(MsDocument *self, MsRun *run)
{
  share_equal_picture(self, run);
  if (continues_newest(self, run))
    replace_newest(self, run);
  else
    append(self, run);
  self->newest_step = self->request_step;
  set_current(self, run);
}

/**
 * ms_document_find_counterpart: (transfer none) (nullable): the oldest run on the device in use that was requested with
 * @requested, whatever its kernel, and ran with @kernel.
 */
MsRun *
ms_document_find_counterpart(MsDocument *self, const MsSettings *requested, int kernel)
{
  for (guint i = 0; i < n_runs(self); i++) {
    MsRun *run = run_at(self, i);
    MsSettings other = *ms_run_get_requested(run);
    other.options.kernel = requested->options.kernel;
    if (ms_settings_equal(&other, requested) && ms_run_get_settings(run)->options.kernel == kernel &&
        ms_run_get_device(run) == ms_window_engine_get_device(self->engine))
      return run;
  }
  return NULL;
}

/**
 * ms_document_add_counterpart: inserts @run before the newest one, whose name then says how it differs from @run, and
 * makes it the baseline.
 */
void
ms_document_add_counterpart(MsDocument *self, MsRun *run)
{
  MsRun *newest = ms_document_get_newest_run(self), *before = n_runs(self) > 1 ? run_at(self, n_runs(self) - 2) : NULL;
  const gboolean automatic = ms_run_is_named_after(newest, before);

  share_equal_picture(self, run);
  ms_run_name_after(run, before);
  ms_run_set_number(run, ms_run_get_number(newest));
  ms_run_set_number(newest, ++self->n_runs);
  if (automatic)
    ms_run_name_after(newest, run);
  g_list_store_insert(self->runs, n_runs(self) - 1, run);
  ms_document_set_baseline(self, run);
}

/**
 * ms_document_get_baseline: (transfer none) (nullable): the run that others are compared with; the first run unless
 * set.
 */
MsRun *
ms_document_get_baseline(MsDocument *self)
{
  return self->baseline;
}

/** ms_document_set_baseline: @run: (nullable): compares all runs with it */
void
ms_document_set_baseline(MsDocument *self, MsRun *run)
{
  g_set_object(&self->baseline, run);
  for (guint i = 0; i < n_runs(self); i++)
    ms_run_judge(run_at(self, i), run);
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

/* Removing */

/* A removed run, its position, and what it was used for. */
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

/** ms_document_get_removed_run: (transfer none) (nullable): the run that ms_document_undo_removal() puts back. */
MsRun *
ms_document_get_removed_run(MsDocument *self)
{
  guint n = self->removed ? self->removed->len : 0;

  return n > 0 ? ((MsRemovedRun *)self->removed->pdata[n - 1])->run : NULL;
}

/* The bound on memory does not count pictures of removed runs, so only the last one keeps its picture. */
static void
note_removed(MsDocument *self, MsRemovedRun *removed)
{
  if (!self->removed)
    self->removed = g_ptr_array_new_with_free_func(removed_run_free);
  if (self->removed->len > 0)
    ms_run_drop_result(ms_document_get_removed_run(self));
  g_ptr_array_add(self->removed, removed);
}

/**
 * ms_document_remove_run: removes a run; a side that showed it shows the source or the newest run. A run that is gone
 * already, as a table that is not up to date yet may still show it, is passed over.
 */
void
ms_document_remove_run(MsDocument *self, MsRun *run)
{
  guint at = 0;

  if (!g_list_store_find(self->runs, run, &at))
    return;
  MsRemovedRun *removed = g_new0(MsRemovedRun, 1);
  *removed = (MsRemovedRun){g_object_ref(run),   at, run == self->baseline, run == self->run_a, run == self->run_b,
                            run == self->current};
  note_removed(self, removed);
  self->newest_step = G_MAXUINT;
  g_list_store_remove(self->runs, at);
  if (removed->baseline)
    ms_document_set_baseline(self, n_runs(self) > 0 ? run_at(self, 0) : NULL);
  if (removed->a)
    ms_document_set_run_a(self, NULL);
  if (removed->b)
    ms_document_set_run_b(self, NULL);
  if (removed->current)
    set_current(self, ms_document_get_newest_run(self));
  g_signal_emit_by_name(self, "run-removed", removed->run);
}

/** ms_document_undo_removal: restores the run that was removed last, with its position and uses. */
void
ms_document_undo_removal(MsDocument *self)
{
  if (!ms_document_get_removed_run(self))
    return;
  MsRemovedRun *removed = g_ptr_array_steal_index(self->removed, self->removed->len - 1);

  ms_run_judge(removed->run, self->baseline);
  g_list_store_insert(self->runs, MIN(removed->position, n_runs(self)), removed->run);
  if (removed->baseline)
    ms_document_set_baseline(self, removed->run);
  if (removed->a)
    ms_document_set_run_a(self, removed->run);
  if (removed->b)
    ms_document_set_run_b(self, removed->run);
  if (removed->current && !self->cancellable)
    set_current(self, removed->run);
  removed_run_free(removed);
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
  keep_within_bound(self);
  g_object_notify(G_OBJECT(self), property);
  if (side == &self->run_b)
    ms_document_tell_shown_run(self);
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

/** ms_document_show_difference: puts @other on side B, as a run of the list, and @run on side A. */
void
ms_document_show_difference(MsDocument *self, MsRun *run, MsRun *other)
{
  if (!g_list_store_find(self->runs, other, NULL))
    append(self, other);
  ms_document_set_run_a(self, run);
  ms_document_set_run_b(self, other);
}
