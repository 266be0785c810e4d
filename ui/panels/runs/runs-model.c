/* SPDX-License-Identifier: MIT */
#include "ui/panels/runs/runs-model.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ui/common/format.h"
#include "ui/document/document-runs.h"

GtkListStore *
ms_runs_model_new(void)
{
  return gtk_list_store_new(MS_RUNS_N_COLUMNS, MS_TYPE_RUN, G_TYPE_BOOLEAN, G_TYPE_BOOLEAN, G_TYPE_STRING,
                            G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT, G_TYPE_STRING, G_TYPE_STRING,
                            G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_INT, G_TYPE_BOOLEAN, G_TYPE_STRING);
}

/* The least number of times from which a spread is computed. */
#define FEWEST_TIMES 3

/* Whether the speed-up over the baseline (nullable) was computed from repeats of both. */
static gboolean
is_repeated(MsRun *run, MsRun *baseline)
{
  return baseline && (run == baseline || MIN(ms_run_summarise(run).n, ms_run_summarise(baseline).n) >= FEWEST_TIMES);
}

/*
 * (transfer full): the speed-up over the baseline with its spread, or a note that it was measured once; empty for runs
 * with other filter parameters.
 */
static char *
speedup_text(MsRun *run, MsRun *baseline)
{
  if (!baseline || !ms_params_equal(&ms_run_get_settings(run)->params, &ms_run_get_settings(baseline)->params))
    return g_strdup(MS_NO_NUMBER);
  MsSummary own = ms_run_summarise(run), other = ms_run_summarise(baseline);
  g_autofree char *ratio = ms_format_ratio(other.median / own.median);
  if (run == baseline)
    return g_steal_pointer(&ratio);
  if (!is_repeated(run, baseline))
    return g_strdup_printf(_("%s, one run"), ratio);
  return g_strdup_printf("%s ± %.1f %%", ratio, 100 * hypot(own.spread, other.spread));
}

/* The median over the repeats, with its spread. */
static char *
time_text(MsRun *run)
{
  MsSummary summary = ms_run_summarise(run);
  g_autofree char *time = summary.median > 0 ? ms_format_ms(summary.median) : g_strdup(MS_NO_NUMBER);

  if (summary.n < FEWEST_TIMES)
    return g_steal_pointer(&time);
  return g_strdup_printf("%s ± %.1f %%, %u×", time, 100 * summary.spread, summary.n);
}

/** ms_runs_model_badge: the result of comparing the picture with the baseline's, as a sign and text. */
const char *
ms_runs_model_badge(MsRun *run, MsRun *baseline)
{
  switch (ms_run_get_match(run)) {
  case MS_MATCH_BASELINE:
    return _("★ baseline");
  case MS_MATCH_IDENTICAL:
    return _("✓ identical");
  case MS_MATCH_DIFFERENT:
    return _("✗ differs");
  case MS_MATCH_UNKNOWN:
    return baseline ? _("other parameters") : MS_NO_NUMBER;
  }
  g_return_val_if_reached(NULL);
}

static double
slowest_ms(GListModel *runs)
{
  double slowest = 0;

  for (guint i = 0; i < g_list_model_get_n_items(runs); i++) {
    g_autoptr(MsRun) run = g_list_model_get_item(runs, i);
    slowest = MAX(slowest, ms_run_get_kernel_ms(run));
  }
  return slowest;
}

static void
set_original(GtkListStore *store, GtkTreeIter *iter, MsDocument *document)
{
  MsImage *source = ms_document_get_source(document);
  g_autofree char *size = g_strdup_printf("%d × %d", ms_image_get_width(source), ms_image_get_height(source));

  gtk_list_store_set(store, iter, MS_RUNS_RUN, NULL, MS_RUNS_A, ms_document_get_run_a(document) == NULL, MS_RUNS_B,
                     FALSE, MS_RUNS_LABEL, _("Original"), MS_RUNS_SETTINGS, size, MS_RUNS_DEVICE, "", MS_RUNS_TIME, "",
                     MS_RUNS_SHARE, 0, MS_RUNS_SPEEDUP, "", MS_RUNS_BADGE, "", MS_RUNS_PICTURE, "", MS_RUNS_IS_RUN,
                     FALSE, MS_RUNS_WEIGHT, PANGO_WEIGHT_NORMAL, MS_RUNS_REPEATED, FALSE, MS_RUNS_MARK, "", -1);
}

/* The values that the rows of all runs share. */
typedef struct {
  GtkListStore *store;
  MsDocument *document;
  double slowest_ms;
} Table;

static void
set_run(const Table *table, GtkTreeIter *iter, MsRun *run, gboolean newest)
{
  MsDocument *document = table->document;
  double slowest = table->slowest_ms;
  MsRun *baseline = ms_document_get_baseline(document), *b = ms_document_get_run_b(document);
  gboolean current = run == ms_document_get_current_run(document);
  double ms = ms_run_get_kernel_ms(run);
  g_autofree char *settings = ms_settings_to_arguments(ms_run_get_settings(run));
  g_autofree char *time = time_text(run);
  g_autofree char *speedup = speedup_text(run, baseline);

  gtk_list_store_set(table->store, iter, MS_RUNS_RUN, run, MS_RUNS_A, run == ms_document_get_run_a(document), MS_RUNS_B,
                     b ? run == b : current, MS_RUNS_LABEL, ms_run_get_label(run), MS_RUNS_SETTINGS, settings,
                     MS_RUNS_DEVICE, ms_run_get_device_name(run), MS_RUNS_TIME, time, MS_RUNS_SHARE,
                     slowest > 0 ? (int)(100 * ms / slowest + 0.5) : 0, MS_RUNS_SPEEDUP, speedup, MS_RUNS_BADGE,
                     ms_runs_model_badge(run, baseline), MS_RUNS_PICTURE,
                     ms_run_has_result(run) ? _("kept") : _("dropped"), MS_RUNS_IS_RUN, TRUE, MS_RUNS_WEIGHT,
                     current ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, MS_RUNS_REPEATED, is_repeated(run, baseline),
                     MS_RUNS_MARK, newest ? _("newest") : "", -1);
}

/** ms_runs_model_fill: updates the rows from @document (nullable) in place, so that the selection is kept. */
void
ms_runs_model_fill(GtkListStore *store, MsDocument *document)
{
  GtkTreeModel *model = GTK_TREE_MODEL(store);
  GListModel *runs = document ? ms_document_get_runs(document) : NULL;
  guint n_rows = runs ? g_list_model_get_n_items(runs) + 1 : 0;
  const Table table = {store, document, runs ? slowest_ms(runs) : 0};
  GtkTreeIter iter;
  gboolean there = gtk_tree_model_get_iter_first(model, &iter);

  for (guint i = 0; i < n_rows; i++) {
    if (!there)
      gtk_list_store_append(store, &iter);
    g_autoptr(MsRun) run = i > 0 ? g_list_model_get_item(runs, i - 1) : NULL;
    if (run)
      set_run(&table, &iter, run, i + 1 == n_rows);
    else
      set_original(store, &iter, document);
    there = there && gtk_tree_model_iter_next(model, &iter);
  }
  while (there)
    there = gtk_list_store_remove(store, &iter);
}
