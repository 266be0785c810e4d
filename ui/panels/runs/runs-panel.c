/* SPDX-License-Identifier: MIT */
#include "ui/panels/runs/runs-panel.h"

#include <glib/gi18n-lib.h>

#include "ui/document/document-repeat.h"
#include "ui/document/document-runs.h"
#include "ui/panels/common/panel-style.h"
#include "ui/panels/common/table-export.h"
#include "ui/panels/runs/runs-model.h"

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
  GtkWidget *buttons;
  GtkLabel *note;
  guint dropped;
  guint shown; /* runs in the table */
};

G_DEFINE_FINAL_TYPE(MsRunsPanel, ms_runs_panel, MS_TYPE_PANEL)

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
  guint runs = document ? g_list_model_get_n_items(ms_document_get_runs(document)) : 0;
  g_autofree char *dropped = g_strdup_printf(
    g_dngettext(GETTEXT_PACKAGE, "%u older picture was removed to save memory; its timings are kept.",
                "%u older pictures were removed to save memory; their timings are kept.", self->dropped),
    self->dropped);

  gtk_label_set_text(self->note, self->dropped > 0 ? dropped
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

  ms_runs_model_fill(self->store, document);
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
    ms_panel_follow(MS_PANEL(self), run, "notify");
  }
  ms_panel_invalidate(MS_PANEL(self));
}

static void
on_pictures_dropped(MsRunsPanel *self, guint n)
{
  self->dropped += n;
  ms_panel_invalidate(MS_PANEL(self));
}

static void
ms_runs_panel_attach(MsPanel *panel, MsDocument *document)
{
  MsRunsPanel *self = MS_RUNS_PANEL(panel);

  self->dropped = 0;
  self->shown = 0;
  g_signal_connect_object(ms_document_get_runs(document), "items-changed", G_CALLBACK(follow_runs), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "pictures-dropped", G_CALLBACK(on_pictures_dropped), self, G_CONNECT_SWAPPED);
  ms_panel_follow(panel, document, "notify::current-run");
  ms_panel_follow(panel, document, "notify::busy");
  ms_panel_follow(panel, document, "notify::run-a");
  ms_panel_follow(panel, document, "notify::run-b");
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

static void
bind_callbacks(GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_callback(widget_class, update_buttons);
  gtk_widget_class_bind_template_callback(widget_class, on_a_toggled);
  gtk_widget_class_bind_template_callback(widget_class, on_b_toggled);
  gtk_widget_class_bind_template_callback(widget_class, on_label_edited);
  gtk_widget_class_bind_template_callback(widget_class, on_restore_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_baseline_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_rename_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_delete_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_undelete_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_repeat_clicked);
  gtk_widget_class_bind_template_callback(widget_class, on_key_press);
}

static void
ms_runs_panel_finalize(GObject *object)
{
  g_clear_object(&MS_RUNS_PANEL(object)->store);
  G_OBJECT_CLASS(ms_runs_panel_parent_class)->finalize(object);
}

static void
ms_runs_panel_class_init(MsRunsPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = ms_runs_panel_finalize;
  MS_PANEL_CLASS(klass)->attach = ms_runs_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_runs_panel_refresh;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/panels/runs/runs-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, tree);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, label_column);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, label_cell);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, restore);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, baseline);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, rename);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, delete);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, undelete);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, repeat);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, repeats);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, buttons);
  gtk_widget_class_bind_template_child(widget_class, MsRunsPanel, note);
  bind_callbacks(widget_class);
}

static void
ms_runs_panel_init(MsRunsPanel *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->store = ms_runs_model_new();
  gtk_tree_view_set_model(self->tree, GTK_TREE_MODEL(self->store));
  ms_panel_tree_tooltip(self->tree, MS_RUNS_SETTINGS);
  gtk_container_add(GTK_CONTAINER(self->buttons), ms_table_export_new(MS_PANEL(self), self->tree, "runs"));
  update_buttons(self);
}
