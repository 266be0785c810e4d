/* SPDX-License-Identifier: MIT */
#include "ui/panels/runs/runs-panel.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document.h"
#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/panels/common/table.h"

struct _MsRunsPanel {
  MsPanel parent_instance;
  GtkTreeView *tree;
  GtkTreeViewColumn *label_column;
  GtkCellRenderer *label_cell;
  GtkListStore *store;
  GtkWidget *restore;
  GtkWidget *baseline;
  GtkWidget *rename;
  GtkWidget *delete;
  GtkWidget *undelete;
  GtkWidget *repeat;
  GtkSpinButton *repeats;
  GtkLabel *note;
  GtkContainer *table_buttons;
  guint shown; /* runs in the table */
};

G_DEFINE_FINAL_TYPE(MsRunsPanel, ms_runs_panel, MS_TYPE_PANEL)

/* The table */

/* The least number of times from which a spread is computed. */
#define FEWEST_TIMES 3

/* Whether the speed-up over the baseline (nullable) was computed from repeats of both. */
static gboolean
is_repeated(MsRun *run, MsRun *baseline)
{
  return baseline && (run == baseline || MIN(ms_run_summarise(run).n, ms_run_summarise(baseline).n) >= FEWEST_TIMES);
}

/*
 * (transfer full): how much faster or slower than the baseline, with its interval, or a note that it was measured once;
 * empty for runs with other filter parameters.
 */
static char *
speedup_text(MsRun *run, MsRun *baseline)
{
  if (!baseline || !ms_params_equal(&ms_run_get_settings(run)->params, &ms_run_get_settings(baseline)->params))
    return g_strdup(MS_NO_NUMBER);
  const MsRunRatio ratio = ms_run_compare(run, baseline);
  const gboolean slower = ratio.ratio > 1;
  if (!isfinite(ratio.ratio))
    return g_strdup(MS_NO_NUMBER);
  g_autofree char *times = ms_format_ratio(slower ? ratio.ratio : 1 / ratio.ratio);
  g_autofree char *words = slower ? g_strdup_printf(_("%s slower"), times) : g_steal_pointer(&times);
  if (run == baseline)
    return g_steal_pointer(&words);
  if (!ratio.is_repeated)
    return g_strdup_printf(_("%s, one run"), words);
  return g_strdup_printf("%s ± %.1f %%", words, 100 * (ratio.high / ratio.ratio - 1));
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

/** ms_runs_panel_badge: the result of comparing the picture with the baseline's, as a sign and text. */
const char *
ms_runs_panel_badge(MsRun *run, MsRun *baseline)
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
    slowest = fmax(slowest, ms_run_get_kernel_ms(run)); /* ignores an unknown time */
  }
  return slowest;
}

static void
set_original(GtkListStore *store, GtkTreeIter *iter, MsDocument *document)
{
  MsImage *source = ms_document_get_source(document);
  g_autofree char *size = g_strdup_printf("%d × %d", ms_image_get_width(source), ms_image_get_height(source));

  gtk_list_store_set(store, iter, MS_RUNS_A, ms_document_get_run_a(document) == NULL, MS_RUNS_LABEL, _("Original"),
                     MS_RUNS_SETTINGS, size, MS_RUNS_WEIGHT, PANGO_WEIGHT_NORMAL, -1);
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
  g_autofree char *order = g_strdup_printf(newest ? _("%u, newest") : "%u", ms_run_get_number(run));

  gtk_list_store_set(table->store, iter, MS_RUNS_RUN, run, MS_RUNS_A, run == ms_document_get_run_a(document), MS_RUNS_B,
                     b ? run == b : current, MS_RUNS_LABEL, ms_run_get_label(run), MS_RUNS_SETTINGS, settings,
                     MS_RUNS_DEVICE, ms_run_get_device_name(run), MS_RUNS_TIME, time, MS_RUNS_SHARE,
                     slowest > 0 && ms > 0 ? (int)(100 * ms / slowest + 0.5) : 0, MS_RUNS_SPEEDUP, speedup,
                     MS_RUNS_BADGE, ms_runs_panel_badge(run, baseline), MS_RUNS_PICTURE,
                     ms_run_has_result(run) ? _("kept") : _("dropped"), MS_RUNS_IS_RUN, TRUE, MS_RUNS_WEIGHT,
                     current ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, MS_RUNS_REPEATED, is_repeated(run, baseline),
                     MS_RUNS_MARK, order, -1);
}

/* Updates the rows from @document (nullable) in place, so that the selection is kept. */
static void
fill(GtkListStore *store, MsDocument *document)
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

/* The selected run */

static MsRun *
run_at(MsRunsPanel *self, GtkTreeIter *iter)
{
  g_autoptr(MsRun) run = NULL;

  gtk_tree_model_get(GTK_TREE_MODEL(self->store), iter, MS_RUNS_RUN, &run, -1);
  return run; /* the document owns it */
}

static gboolean
iter_at(MsRunsPanel *self, const char *path, GtkTreeIter *iter)
{
  return gtk_tree_model_get_iter_from_string(GTK_TREE_MODEL(self->store), iter, path);
}

/** ms_runs_panel_get_selected: (transfer none) (nullable): %NULL where none or the original is selected. */
MsRun *
ms_runs_panel_get_selected(MsRunsPanel *self)
{
  GtkTreeIter iter;

  if (!gtk_tree_selection_get_selected(gtk_tree_view_get_selection(self->tree), NULL, &iter))
    return NULL;
  return run_at(self, &iter);
}

static void
update_buttons(MsRunsPanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  MsRun *run = ms_runs_panel_get_selected(self);

  gtk_widget_set_visible(self->undelete, document && ms_document_get_removed_run(document));
  gtk_widget_set_sensitive(self->repeat, document && ms_document_can_repeat_run(document, run));
  gtk_widget_set_sensitive(self->restore, run != NULL);
  gtk_widget_set_sensitive(self->rename, run != NULL);
  gtk_widget_set_sensitive(self->delete, run != NULL);
  gtk_widget_set_sensitive(self->baseline, run != NULL);
  gtk_button_set_label(GTK_BUTTON(self->baseline),
                       run && ms_run_is_baseline(run) ? _("Unmark _Baseline") : _("Mark as _Baseline"));
}

static void
show_note(MsRunsPanel *self, MsDocument *document)
{
  const guint runs = document ? g_list_model_get_n_items(ms_document_get_runs(document)) : 0;
  const guint n = document ? ms_document_count_dropped(document) : 0;
  g_autofree char *dropped =
    g_strdup_printf(g_dngettext(GETTEXT_PACKAGE, "%u older picture was removed to save memory; its timings are kept.",
                                "%u older pictures were removed to save memory; their timings are kept.", n),
                    n);

  gtk_label_set_text(self->note, n > 0 ? dropped
                                 : runs == 0
                                   ? _("Every run of the filter is listed here.")
                                   : _("A and B are what the split, side-by-side and difference views show."));
}

/* The newest run is selected too, unless another one was chosen. */
static void
show_newest(MsRunsPanel *self, guint runs)
{
  g_autoptr(GtkTreePath) newest = gtk_tree_path_new_from_indices((int)runs, -1);
  g_autoptr(GtkTreePath) before = gtk_tree_path_new_from_indices((int)self->shown, -1);
  GtkTreeSelection *selection = gtk_tree_view_get_selection(self->tree);

  if (gtk_tree_selection_count_selected_rows(selection) == 0 || gtk_tree_selection_path_is_selected(selection, before))
    gtk_tree_view_set_cursor(self->tree, newest, NULL, FALSE);
  gtk_tree_view_scroll_to_cell(self->tree, newest, NULL, FALSE, 0, 0);
}

static void
ms_runs_panel_refresh(MsPanel *panel)
{
  MsRunsPanel *self = MS_RUNS_PANEL(panel);
  MsDocument *document = ms_panel_get_document(panel);
  guint runs = document ? g_list_model_get_n_items(ms_document_get_runs(document)) : 0;

  fill(self->store, document);
  if (runs > self->shown)
    show_newest(self, runs);
  self->shown = runs;
  update_buttons(self);
  show_note(self, document);
}

static void
follow_runs(MsRunsPanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  GListModel *runs = document ? ms_document_get_runs(document) : NULL;

  for (guint i = 0; runs && i < g_list_model_get_n_items(runs); i++) {
    g_autoptr(MsRun) run = g_list_model_get_item(runs, i);
    g_signal_handlers_disconnect_by_func(run, ms_panel_invalidate, self);
    g_signal_connect_object(run, "changed", G_CALLBACK(ms_panel_invalidate), self, G_CONNECT_SWAPPED);
  }
  ms_panel_invalidate(MS_PANEL(self));
}

static void
ms_runs_panel_attach(MsPanel *panel, MsDocument *document)
{
  MsRunsPanel *self = MS_RUNS_PANEL(panel);

  self->shown = 0;
  ms_panel_connect(panel, ms_document_get_runs(document), "items-changed", G_CALLBACK(follow_runs));
  follow_runs(self);
}

/* A second click on A resets that side to the original, on B to the newest run. */
static void
on_a_toggled(GtkCellRendererToggle *cell, const char *path, MsRunsPanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  GtkTreeIter iter;

  if (!document || !iter_at(self, path, &iter))
    return;
  MsRun *run = run_at(self, &iter);
  ms_document_set_run_a(document, run == ms_document_get_run_a(document) ? NULL : run);
}

static void
on_b_toggled(GtkCellRendererToggle *cell, const char *path, MsRunsPanel *self)
{
  MsDocument *document = ms_panel_get_document(MS_PANEL(self));
  GtkTreeIter iter;

  if (!document || !iter_at(self, path, &iter))
    return;
  MsRun *run = run_at(self, &iter);
  gboolean newest = run == ms_document_get_current_run(document);
  ms_document_set_run_b(document, newest || run == ms_document_get_run_b(document) ? NULL : run);
}

static void
on_label_edited(GtkCellRendererText *cell, const char *path, const char *text, MsRunsPanel *self)
{
  g_autofree char *label = g_strstrip(g_strdup(text));
  GtkTreeIter iter;
  MsRun *run = iter_at(self, path, &iter) ? run_at(self, &iter) : NULL;

  if (run && *label)
    ms_run_set_label(run, label);
}

static void
on_restore_clicked(MsRunsPanel *self)
{
  MsRun *run = ms_runs_panel_get_selected(self);

  if (run)
    ms_document_restore_run(ms_panel_get_document(MS_PANEL(self)), run);
}

static void
on_baseline_clicked(MsRunsPanel *self)
{
  MsRun *run = ms_runs_panel_get_selected(self);

  if (run)
    ms_document_set_baseline(ms_panel_get_document(MS_PANEL(self)), ms_run_is_baseline(run) ? NULL : run);
  ms_panel_invalidate(MS_PANEL(self));
}

static void
on_rename_clicked(MsRunsPanel *self)
{
  g_autoptr(GtkTreePath) path = NULL;

  gtk_tree_view_get_cursor(self->tree, &path, NULL);
  if (!path || !ms_runs_panel_get_selected(self))
    return;
  gtk_widget_grab_focus(GTK_WIDGET(self->tree));
  gtk_tree_view_set_cursor_on_cell(self->tree, path, self->label_column, self->label_cell, TRUE);
}

static void
on_delete_clicked(MsRunsPanel *self)
{
  MsRun *run = ms_runs_panel_get_selected(self);

  if (run)
    ms_document_remove_run(ms_panel_get_document(MS_PANEL(self)), run);
}

static void
on_undelete_clicked(MsRunsPanel *self)
{
  ms_document_undo_removal(ms_panel_get_document(MS_PANEL(self)));
}

static void
on_repeat_clicked(MsRunsPanel *self)
{
  MsRun *run = ms_runs_panel_get_selected(self);

  gtk_spin_button_update(self->repeats);
  if (run)
    ms_document_repeat_run(ms_panel_get_document(MS_PANEL(self)), run,
                           (guint)gtk_spin_button_get_value_as_int(self->repeats));
}

static gboolean
on_key_press(MsRunsPanel *self, GdkEventKey *event)
{
  if (event->keyval == GDK_KEY_F2)
    on_rename_clicked(self);
  else if (event->keyval == GDK_KEY_Delete || event->keyval == GDK_KEY_KP_Delete)
    on_delete_clicked(self);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsRunsPanel, name)
#define CALLBACK(name) MS_TEMPLATE_CALLBACK(name)

static void
ms_runs_panel_class_init(MsRunsPanelClass *klass)
{
  static const char *const follows[] = {"pictures-dropped", "notify::current-run", "notify::shown-run",
                                        "notify::run-a",    "notify::busy",        NULL};
  static const MsTemplatePart parts[] = {CHILD(tree),
                                         CHILD(label_column),
                                         CHILD(label_cell),
                                         CHILD(store),
                                         CHILD(restore),
                                         CHILD(baseline),
                                         CHILD(rename),
                                         CHILD(delete),
                                         CHILD(undelete),
                                         CHILD(repeat),
                                         CHILD(repeats),
                                         CHILD(note),
                                         CHILD(table_buttons),
                                         CALLBACK(update_buttons),
                                         CALLBACK(on_a_toggled),
                                         CALLBACK(on_b_toggled),
                                         CALLBACK(on_label_edited),
                                         CALLBACK(on_restore_clicked),
                                         CALLBACK(on_baseline_clicked),
                                         CALLBACK(on_rename_clicked),
                                         CALLBACK(on_delete_clicked),
                                         CALLBACK(on_undelete_clicked),
                                         CALLBACK(on_repeat_clicked),
                                         CALLBACK(on_key_press)};

  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->attach = ms_runs_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_runs_panel_refresh;
  g_type_ensure(MS_TYPE_RUN);
  ms_template_bind(klass, "panels/runs/runs-panel.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_runs_panel_init(MsRunsPanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  ms_table_tooltip(self->tree, MS_RUNS_SETTINGS);
  ms_table_add_buttons(self->tree, self->table_buttons);
  update_buttons(self);
}
