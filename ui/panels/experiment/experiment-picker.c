/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/experiment-picker.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "ui/panels/common/panel-style.h"

struct _MsExperimentPicker {
  GtkBox parent_instance;
  GtkWidget *search;
  GtkTreeView *tree;
  GtkTreeStore *store; /* two levels: studies, and their experiments */
  GtkTreeModel *filter;
  GPtrArray *experiments;
};

G_DEFINE_FINAL_TYPE(MsExperimentPicker, ms_experiment_picker, GTK_TYPE_BOX)

enum {
  COLUMN_EXPERIMENT, /* NULL in the rows of studies */
  COLUMN_TITLE,
  COLUMN_STUDY,
  COLUMN_WEIGHT,
  N_COLUMNS,
};

static guint changed_signal;

/* Studies as data/experiments/README.md names them, in the order of the groups. */
static const struct {
  const char *name;
  const char *title;
} studies[] = {
  {"MS", N_("Mean-shift filtering")}, {"LB", N_("Load balancing")},  {"MM", N_("Minimum, maximum and count")},
  {"PCL", N_("Sum reduction")},       {"BD", N_("Thread swapping")}, {"", N_("Other")},
};

/* The steps of the page Learn, the most general first. */
static const char *const steps[] = {
  "ms-serial",      "ms-ndrange-size",    "ms-ndrange-shape", "ms-memory-object",     "ms-local-memory",
  "ms-unroll",      "ms-access",          "ms-cumulative",    "ms-transfer",          "sum-stride-times",
  "sum-sizes",      "sum-group-variants", "minmax-builtin",   "minmax-bank-conflict", "swap-example",
  "swap-meanshift", "split-adaptive",
};

static void
ms_experiment_picker_finalize(GObject *object)
{
  MsExperimentPicker *self = MS_EXPERIMENT_PICKER(object);

  g_object_unref(self->filter);
  g_object_unref(self->store);
  g_ptr_array_unref(self->experiments);
  G_OBJECT_CLASS(ms_experiment_picker_parent_class)->finalize(object);
}

static void
ms_experiment_picker_class_init(MsExperimentPickerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_experiment_picker_finalize;
  changed_signal =
    g_signal_new("changed", MS_TYPE_EXPERIMENT_PICKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static gboolean
contains(const char *text, const char *part)
{
  g_autofree char *folded = g_utf8_casefold(text ? text : "", -1);

  return strstr(folded, part) != NULL;
}

static gboolean
matches(const MsExperiment *experiment, const char *part)
{
  return contains(ms_experiment_text(experiment->title, MS_LANGUAGE_USER), part) || contains(experiment->title, part) ||
         contains(experiment->name, part) || contains(experiment->study, part) ||
         contains(experiment->description, part) || contains(experiment->finding, part);
}

/* A study is visible if one of its experiments is. */
static gboolean
is_visible(GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  MsExperimentPicker *self = data;
  g_autofree char *part = g_utf8_casefold(gtk_entry_get_text(GTK_ENTRY(self->search)), -1);
  MsExperiment *experiment;
  GtkTreeIter child;

  gtk_tree_model_get(model, iter, COLUMN_EXPERIMENT, &experiment, -1);
  if (experiment)
    return matches(experiment, part);
  for (gboolean more = gtk_tree_model_iter_children(model, &child, iter); more;
       more = gtk_tree_model_iter_next(model, &child)) {
    gtk_tree_model_get(model, &child, COLUMN_EXPERIMENT, &experiment, -1);
    if (experiment && matches(experiment, part))
      return TRUE;
  }
  return FALSE;
}

static void
search_changed_cb(MsExperimentPicker *self)
{
  gtk_tree_model_filter_refilter(GTK_TREE_MODEL_FILTER(self->filter));
  gtk_tree_view_expand_all(self->tree);
}

static void
selection_changed_cb(MsExperimentPicker *self)
{
  g_signal_emit(self, changed_signal, 0);
}

static gboolean
is_selectable(GtkTreeSelection *selection, GtkTreeModel *model, GtkTreePath *path, gboolean selected, gpointer data)
{
  MsExperiment *experiment = NULL;
  GtkTreeIter iter;

  if (gtk_tree_model_get_iter(model, &iter, path))
    gtk_tree_model_get(model, &iter, COLUMN_EXPERIMENT, &experiment, -1);
  return experiment != NULL;
}

static GtkWidget *
new_tree(MsExperimentPicker *self)
{
  GtkWidget *tree = gtk_tree_view_new_with_model(self->filter);
  GtkCellRenderer *cell = gtk_cell_renderer_text_new();
  GtkTreeSelection *selection = gtk_tree_view_get_selection(GTK_TREE_VIEW(tree));

  g_object_set(cell, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_tree_view_insert_column_with_attributes(GTK_TREE_VIEW(tree), -1, _("Experiment"), cell, "text", COLUMN_TITLE,
                                              "weight", COLUMN_WEIGHT, NULL);
  gtk_tree_view_set_headers_visible(GTK_TREE_VIEW(tree), FALSE);
  gtk_tree_view_set_enable_search(GTK_TREE_VIEW(tree), FALSE);
  gtk_tree_selection_set_select_function(selection, is_selectable, NULL, NULL);
  g_signal_connect_object(selection, "changed", G_CALLBACK(selection_changed_cb), self, G_CONNECT_SWAPPED);
  atk_object_set_name(gtk_widget_get_accessible(tree), _("Experiments"));
  ms_panel_tree_tooltip(GTK_TREE_VIEW(tree), COLUMN_TITLE);
  return tree;
}

static void
ms_experiment_picker_init(MsExperimentPicker *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new(NULL, NULL);

  self->experiments = g_ptr_array_new_with_free_func((GDestroyNotify)ms_experiment_unref);
  self->store = gtk_tree_store_new(N_COLUMNS, G_TYPE_POINTER, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT);
  self->search = gtk_search_entry_new();
  self->filter = gtk_tree_model_filter_new(GTK_TREE_MODEL(self->store), NULL);
  gtk_tree_model_filter_set_visible_func(GTK_TREE_MODEL_FILTER(self->filter), is_visible, self, NULL);
  self->tree = GTK_TREE_VIEW(new_tree(self));
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 6);
  gtk_entry_set_placeholder_text(GTK_ENTRY(self->search), _("Search experiments"));
  atk_object_set_name(gtk_widget_get_accessible(self->search), _("Search experiments"));
  g_signal_connect_object(self->search, "search-changed", G_CALLBACK(search_changed_cb), self, G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_shadow_type(GTK_SCROLLED_WINDOW(scrolled), GTK_SHADOW_IN);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand(scrolled, TRUE);
  gtk_container_add(GTK_CONTAINER(scrolled), GTK_WIDGET(self->tree));
  gtk_container_add(GTK_CONTAINER(self), self->search);
  gtk_container_add(GTK_CONTAINER(self), scrolled);
  gtk_widget_show_all(GTK_WIDGET(self));
}

/* The row of a study, made when it is needed; studies that the table lacks are the last group. */
static void
find_study(MsExperimentPicker *self, const char *name, GtkTreeIter *iter)
{
  GtkTreeModel *model = GTK_TREE_MODEL(self->store);
  guint n = 0;

  while (n < G_N_ELEMENTS(studies) - 1 && strcmp(studies[n].name, name ? name : "") != 0)
    n++;
  for (gboolean more = gtk_tree_model_get_iter_first(model, iter); more; more = gtk_tree_model_iter_next(model, iter)) {
    g_autofree char *study = NULL;
    gtk_tree_model_get(model, iter, COLUMN_STUDY, &study, -1);
    if (g_strcmp0(study, studies[n].name) == 0)
      return;
  }
  g_autofree char *title =
    *studies[n].name ? g_strdup_printf("%s (%s)", _(studies[n].title), studies[n].name) : g_strdup(_(studies[n].title));
  gtk_tree_store_insert_with_values(self->store, iter, NULL, -1, COLUMN_TITLE, title, COLUMN_STUDY, studies[n].name,
                                    COLUMN_WEIGHT, PANGO_WEIGHT_BOLD, -1);
}

static void
add_row(MsExperimentPicker *self, GtkTreeIter *parent, MsExperiment *experiment, const char *title)
{
  gtk_tree_store_insert_with_values(self->store, NULL, parent, -1, COLUMN_EXPERIMENT, experiment, COLUMN_TITLE, title,
                                    COLUMN_STUDY, experiment->study, COLUMN_WEIGHT, PANGO_WEIGHT_NORMAL, -1);
  g_ptr_array_add(self->experiments, ms_experiment_ref(experiment));
}

/** ms_experiment_picker_add: adds @experiment to the group of its study. */
void
ms_experiment_picker_add(MsExperimentPicker *self, MsExperiment *experiment)
{
  GtkTreeIter study;

  find_study(self, experiment->study, &study);
  add_row(self, &study, experiment, ms_experiment_text(experiment->title, MS_LANGUAGE_USER));
  gtk_tree_view_expand_all(self->tree);
}

/** ms_experiment_picker_fill: adds the shipped experiments, study after study. */
gboolean
ms_experiment_picker_fill(MsExperimentPicker *self, GError **error)
{
  g_autoptr(GPtrArray) all = ms_experiment_list(error);

  for (guint study = 0; all && study < G_N_ELEMENTS(studies); study++)
    for (guint i = 0; i < all->len; i++)
      if (g_strcmp0(((MsExperiment *)all->pdata[i])->study, studies[study].name) == 0)
        ms_experiment_picker_add(self, all->pdata[i]);
  return all != NULL;
}

/** ms_experiment_picker_fill_steps: adds the steps of the page Learn, numbered, without groups or search. */
gboolean
ms_experiment_picker_fill_steps(MsExperimentPicker *self, GError **error)
{
  g_autoptr(GPtrArray) all = ms_experiment_list(error);

  for (guint step = 0; all && step < G_N_ELEMENTS(steps); step++)
    for (guint i = 0; i < all->len; i++) {
      MsExperiment *experiment = all->pdata[i];
      g_autofree char *title =
        g_strdup_printf("%u. %s", step + 1, ms_experiment_text(experiment->title, MS_LANGUAGE_USER));
      if (strcmp(experiment->name, steps[step]) == 0)
        add_row(self, NULL, experiment, title);
    }
  gtk_widget_hide(self->search);
  gtk_tree_view_set_show_expanders(self->tree, FALSE);
  atk_object_set_name(gtk_widget_get_accessible(GTK_WIDGET(self->tree)), _("Steps"));
  return all != NULL;
}

static gboolean
select_child(MsExperimentPicker *self, GtkTreeIter *parent, const char *name)
{
  GtkTreeIter iter;

  for (gboolean more = gtk_tree_model_iter_children(self->filter, &iter, parent); more;
       more = gtk_tree_model_iter_next(self->filter, &iter)) {
    MsExperiment *experiment;
    gtk_tree_model_get(self->filter, &iter, COLUMN_EXPERIMENT, &experiment, -1);
    if (experiment && strcmp(experiment->name, name) == 0) {
      g_autoptr(GtkTreePath) path = gtk_tree_model_get_path(self->filter, &iter);
      gtk_tree_view_set_cursor(self->tree, path, NULL, FALSE);
      return TRUE;
    }
    if (!experiment && select_child(self, &iter, name))
      return TRUE;
  }
  return FALSE;
}

/** ms_experiment_picker_select: selects an experiment; %FALSE if none of that name is listed. */
gboolean
ms_experiment_picker_select(MsExperimentPicker *self, const char *name)
{
  return select_child(self, NULL, name);
}

/** ms_experiment_picker_select_next: selects the experiment after the selected one, the first if none is. */
gboolean
ms_experiment_picker_select_next(MsExperimentPicker *self)
{
  MsExperiment *selected = ms_experiment_picker_get_selected(self);
  guint next = 0;

  while (selected && next < self->experiments->len && self->experiments->pdata[next] != selected)
    next++;
  next += selected ? 1 : 0;
  return next < self->experiments->len &&
         ms_experiment_picker_select(self, ((MsExperiment *)self->experiments->pdata[next])->name);
}

/** ms_experiment_picker_get_selected: (transfer none) (nullable) */
MsExperiment *
ms_experiment_picker_get_selected(MsExperimentPicker *self)
{
  MsExperiment *experiment = NULL;
  GtkTreeIter iter;

  if (gtk_tree_selection_get_selected(gtk_tree_view_get_selection(self->tree), NULL, &iter))
    gtk_tree_model_get(self->filter, &iter, COLUMN_EXPERIMENT, &experiment, -1);
  return experiment;
}

guint
ms_experiment_picker_get_n(MsExperimentPicker *self)
{
  return self->experiments->len;
}
