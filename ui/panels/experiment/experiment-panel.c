/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/experiment-panel.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/lab/experiment/experiment-file.h"
#include "ui/common/files.h"
#include "ui/panels/common/report-files.h"
#include "ui/panels/common/table.h"
#include "ui/panels/experiment/experiment-list.h"
#include "ui/panels/experiment/own-experiment.h"

/* Bounds of the width of the list: its columns, and the longest name. */
#define LIST_LEAST_WIDTH 330
#define LIST_GREATEST_WIDTH 460

struct _MsExperimentPanel {
  MsJobPanel parent_instance;
  GtkPaned *paned;
  int position; /* of @paned, if no person has set it */
  GtkEntry *search;
  GtkTreeView *tree;
  GtkTreeStore *store;
  GtkTreeModel *filter; /* of @store: what is searched for */
  GtkWidget *open;      /* the buttons for experiments of one's own */
  GtkWidget *next;
  GtkWidget *own; /* the buttons for the files of the selected one */
  GtkWidget *log; /* what the compiler says of a kernel that it refuses */
  GtkTextView *log_text;
  GtkLabel *title;
  GtkLabel *details;
  GtkToggleButton *quick;
  GtkToggleButton *on_picture;
  MsReportView *view;
  gboolean learns;
  GPtrArray *experiments;    /* of the list */
  GHashTable *reports;       /* name → MsReport: the latest report of each experiment */
  GHashTable *files;         /* name → path: of the experiments that were added from files */
  MsExperiment *running;     /* (nullable): the experiment of the newest job */
  const MsExperiment *shown; /* (nullable): the selected one */
  char *folder;              /* (nullable): of the kept reports that were loaded */
  gint64 stamp;              /* of @folder when it was loaded */
  char *damage;              /* (nullable): which of its files cannot be read; may be empty */
};

G_DEFINE_FINAL_TYPE(MsExperimentPanel, ms_experiment_panel, MS_TYPE_JOB_PANEL)

enum {
  PROP_0,
  PROP_LEARN,
};

/* The list of experiments */

/* As in experiment-panel.ui: two levels, studies and their experiments. */
enum {
  COLUMN_EXPERIMENT, /* NULL in the rows of studies */
  COLUMN_TITLE,
  COLUMN_STUDY,
  COLUMN_WEIGHT,
  COLUMN_STATUS, /* the verdict of the last run and its time */
  COLUMN_HINT,
};

/* A study is visible if one of its experiments is. */
static gboolean
is_visible(GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  MsExperimentPanel *self = data;
  g_autofree char *part = g_utf8_casefold(gtk_entry_get_text(self->search), -1);
  MsExperiment *experiment;
  GtkTreeIter child;

  gtk_tree_model_get(model, iter, COLUMN_EXPERIMENT, &experiment, -1);
  if (experiment)
    return ms_experiment_speaks_of(experiment, g_hash_table_lookup(self->reports, experiment->name), part);
  for (gboolean more = gtk_tree_model_iter_children(model, &child, iter); more;
       more = gtk_tree_model_iter_next(model, &child)) {
    gtk_tree_model_get(model, &child, COLUMN_EXPERIMENT, &experiment, -1);
    if (experiment && ms_experiment_speaks_of(experiment, g_hash_table_lookup(self->reports, experiment->name), part))
      return TRUE;
  }
  return FALSE;
}

static void
on_search_changed(MsExperimentPanel *self)
{
  gtk_tree_model_filter_refilter(GTK_TREE_MODEL_FILTER(self->filter));
  gtk_tree_view_expand_all(self->tree);
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

/* The row of a study, made when it is needed; studies that the table lacks are the last group. */
static void
find_study(MsExperimentPanel *self, const char *name, GtkTreeIter *iter)
{
  GtkTreeModel *model = GTK_TREE_MODEL(self->store);
  const MsStudy *wanted = ms_study_find(name);

  for (gboolean more = gtk_tree_model_get_iter_first(model, iter); more; more = gtk_tree_model_iter_next(model, iter)) {
    g_autofree char *study = NULL;
    gtk_tree_model_get(model, iter, COLUMN_STUDY, &study, -1);
    if (g_strcmp0(study, wanted->name) == 0)
      return;
  }
  g_autofree char *title =
    *wanted->name ? g_strdup_printf("%s (%s)", _(wanted->title), wanted->name) : g_strdup(_(wanted->title));
  gtk_tree_store_insert_with_values(self->store, iter, NULL, -1, COLUMN_TITLE, title, COLUMN_STUDY, wanted->name,
                                    COLUMN_WEIGHT, PANGO_WEIGHT_BOLD, COLUMN_HINT, title, -1);
}

static void
set_status(MsExperimentPanel *self, GtkTreeIter *iter)
{
  MsExperiment *experiment;
  g_autofree char *title = NULL;

  gtk_tree_model_get(GTK_TREE_MODEL(self->store), iter, COLUMN_EXPERIMENT, &experiment, COLUMN_TITLE, &title, -1);
  g_autofree char *status = ms_experiment_status(g_hash_table_lookup(self->reports, experiment->name));
  g_autofree char *hint = g_strdup_printf("%s\n%s", title, status);
  gtk_tree_store_set(self->store, iter, COLUMN_STATUS, status, COLUMN_HINT, hint, -1);
}

static gboolean
update_status(GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer data)
{
  MsExperiment *experiment;

  gtk_tree_model_get(model, iter, COLUMN_EXPERIMENT, &experiment, -1);
  if (experiment)
    set_status(data, iter);
  return FALSE;
}

static void
add_row(MsExperimentPanel *self, GtkTreeIter *parent, MsExperiment *experiment, const char *title)
{
  GtkTreeIter iter;

  gtk_tree_store_insert_with_values(self->store, &iter, parent, -1, COLUMN_EXPERIMENT, experiment, COLUMN_TITLE, title,
                                    COLUMN_STUDY, experiment->study, COLUMN_WEIGHT, PANGO_WEIGHT_NORMAL, -1);
  set_status(self, &iter);
  g_ptr_array_add(self->experiments, ms_experiment_ref(experiment));
}

/* Adds @experiment to the group of its study. */
static void
add_experiment(MsExperimentPanel *self, MsExperiment *experiment)
{
  GtkTreeIter study;

  find_study(self, experiment->study, &study);
  add_row(self, &study, experiment, ms_experiment_text(experiment->title, MS_LANGUAGE_USER));
  gtk_tree_view_expand_all(self->tree);
}

/* Adds the shipped experiments to the groups of their studies. */
static gboolean
add_shipped(MsExperimentPanel *self, GError **error)
{
  g_autoptr(GPtrArray) all = ms_experiment_order(FALSE, error);

  for (guint i = 0; all && i < all->len; i++)
    add_experiment(self, all->pdata[i]);
  return all != NULL;
}

static void
add_step(MsExperimentPanel *self, MsExperiment *experiment)
{
  g_autofree char *title =
    g_strdup_printf("%u. %s", self->experiments->len + 1, ms_experiment_text(experiment->title, MS_LANGUAGE_USER));

  add_row(self, NULL, experiment, title);
}

/* Adds every experiment as a step of the page Learn, numbered, without groups or search. */
static gboolean
add_steps(MsExperimentPanel *self, GError **error)
{
  g_autoptr(GPtrArray) all = ms_experiment_order(TRUE, error);

  for (guint i = 0; all && i < all->len; i++)
    add_step(self, all->pdata[i]);
  gtk_widget_hide(GTK_WIDGET(self->search));
  gtk_tree_view_set_show_expanders(self->tree, FALSE);
  atk_object_set_name(gtk_widget_get_accessible(GTK_WIDGET(self->tree)), _("Steps"));
  return all != NULL;
}

static gboolean
select_child(MsExperimentPanel *self, GtkTreeIter *parent, const char *name)
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

/** ms_experiment_panel_select: selects an experiment; %FALSE if there is none of that name */
gboolean
ms_experiment_panel_select(MsExperimentPanel *self, const char *name)
{
  return select_child(self, NULL, name);
}

/* (transfer none) (nullable) */
static MsExperiment *
get_selected(MsExperimentPanel *self)
{
  MsExperiment *experiment = NULL;
  GtkTreeIter iter;

  if (gtk_tree_selection_get_selected(gtk_tree_view_get_selection(self->tree), NULL, &iter))
    gtk_tree_model_get(self->filter, &iter, COLUMN_EXPERIMENT, &experiment, -1);
  return experiment;
}

/* Selects the experiment after the selected one, the first if none is; there is none after the last. */
static void
on_next_clicked(MsExperimentPanel *self)
{
  guint next = 0;
  gboolean any = g_ptr_array_find(self->experiments, get_selected(self), &next);

  next += any ? 1 : 0;
  gtk_widget_set_sensitive(self->next,
                           next < self->experiments->len &&
                             ms_experiment_panel_select(self, ((MsExperiment *)self->experiments->pdata[next])->name));
}

/* The selected experiment */

/* Only experiments that filter can use the open picture. */
static void
update_on_picture(MsExperimentPanel *self)
{
  const MsExperiment *selected = get_selected(self);

  gtk_widget_set_sensitive(GTK_WIDGET(self->on_picture), ms_panel_get_document(MS_PANEL(self)) && selected &&
                                                           strcmp(selected->kind, "mean-shift") == 0);
}

static void
show_details(MsExperimentPanel *self)
{
  const MsExperiment *selected = get_selected(self);

  if (!selected) {
    gtk_label_set_text(self->title, "");
    gtk_label_set_text(self->details, self->learns
                                        ? _("Each step runs one experiment and states what a study found with it.")
                                        : _("Pick an experiment to see what it varies and what was published."));
    return;
  }
  g_autofree char *markup = self->learns ? ms_experiment_describe_lesson(selected)
                                         : ms_experiment_describe(selected, gtk_toggle_button_get_active(self->quick));
  const char *name = ms_experiment_text(selected->title, MS_LANGUAGE_USER);
  g_autofree char *title =
    selected->study && *selected->study
      ? g_strdup_printf("%s [%s %s]", name, selected->study, selected->section ? selected->section : "")
      : g_strdup(name);
  gtk_label_set_text(self->title, title);
  gtk_label_set_markup(self->details, markup);
}

static const char *
get_file(MsExperimentPanel *self)
{
  const MsExperiment *selected = get_selected(self);

  return selected ? g_hash_table_lookup(self->files, selected->name) : NULL;
}

/* Shows @report (nullable), and below it the whole log of the first kernel that did not compile. */
static void
show_report(MsExperimentPanel *self, MsReport *report)
{
  g_autofree char *log = ms_own_experiment_log(report);

  ms_report_view_set_report(self->view, report);
  gtk_text_buffer_set_text(gtk_text_view_get_buffer(self->log_text), log ? log : "", -1);
  gtk_widget_set_visible(self->log, log != NULL);
}

static void
on_selection_changed(MsExperimentPanel *self)
{
  const MsExperiment *selected = get_selected(self);

  if (selected != self->shown) /* how another one ended is no news of this one */
    ms_job_panel_set_outcome(MS_JOB_PANEL(self), NULL);
  self->shown = selected;
  show_details(self);
  update_on_picture(self);
  gtk_widget_set_visible(self->own, get_file(self) != NULL);
  show_report(self, selected ? g_hash_table_lookup(self->reports, selected->name) : NULL);
  ms_job_panel_update_ready(MS_JOB_PANEL(self));
}

/* Takes @data, an experiment whose file was read again, in place of that of the same file. */
static gboolean
replace_row(GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer data)
{
  MsExperiment *after = data, *before;

  gtk_tree_model_get(model, iter, COLUMN_EXPERIMENT, &before, -1);
  if (!before || strcmp(before->name, after->name) != 0)
    return FALSE;
  gtk_tree_store_set(GTK_TREE_STORE(model), iter, COLUMN_EXPERIMENT, after, COLUMN_TITLE,
                     ms_experiment_text(after->title, MS_LANGUAGE_USER), -1);
  return TRUE;
}

/** ms_experiment_panel_add_file: adds the experiment of a file to the list, or reads it again, and selects it. */
gboolean
ms_experiment_panel_add_file(MsExperimentPanel *self, const char *path, GError **error)
{
  g_autoptr(MsExperiment) experiment = ms_experiment_load(path, error);

  if (!experiment)
    return FALSE;
  const gboolean again = g_strcmp0(g_hash_table_lookup(self->files, experiment->name), path) == 0;
  g_hash_table_replace(self->files, g_strdup(experiment->name), g_strdup(path));
  if (again) {
    g_ptr_array_add(self->experiments, ms_experiment_ref(experiment)); /* the row keeps no reference */
    gtk_tree_model_foreach(GTK_TREE_MODEL(self->store), replace_row, experiment);
    on_selection_changed(self);
  } else {
    add_experiment(self, experiment);
  }
  return ms_experiment_panel_select(self, experiment->name);
}

static void
on_problem(MsExperimentPanel *self, const GError *error)
{
  ms_job_panel_set_outcome(MS_JOB_PANEL(self), error->message);
  ms_panel_report_problem(MS_PANEL(self), error);
}

/* A button for a file of the selected experiment, whose name in the .ui file says which. */
static void
on_own_clicked(MsExperimentPanel *self, GtkWidget *button)
{
  static const char *const names[] = {"own_file", "own_kernel", "own_folder"};
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (strcmp(gtk_buildable_get_name(GTK_BUILDABLE(button)), names[i]) == 0 &&
        !ms_own_experiment_show(get_file(self), get_selected(self), (MsOwnFile)i, &error))
      on_problem(self, error);
}

/* Running */

static char *
ms_experiment_panel_ready_text(MsJobPanel *panel, MsDevice *device, gboolean *ready)
{
  const char *damage = MS_EXPERIMENT_PANEL(panel)->damage;

  *ready = device && get_selected(MS_EXPERIMENT_PANEL(panel)) != NULL;
  if (!device)
    return g_strdup(_("Choose an OpenCL device to measure on."));
  if (damage && *damage)
    return g_strdup_printf(_("Measures on %s. A kept result is left out: %s"), device->title, damage);
  return g_strdup_printf(_("Measures on %s."), device->title);
}

/* Shows @report in the list, and in the table while its experiment is selected. */
static void
take_report(MsExperimentPanel *self, MsReport *report)
{
  const char *name = report->experiment->name;
  const MsExperiment *selected = get_selected(self);

  g_hash_table_replace(self->reports, g_strdup(name), ms_report_ref(report));
  if (selected && strcmp(selected->name, name) == 0)
    show_report(self, report);
}

/* Dates are in ISO 8601, so that the later one is the greater text. */
static gboolean
is_later(const MsReport *report, const MsReport *than)
{
  return !than || g_strcmp0(report->date, than->date) > 0;
}

static void
on_kept_loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(source);
  g_autofree char *damage = NULL;
  g_autoptr(GPtrArray) reports = ms_report_files_load_finish(result, &damage);

  if (!self->tree) /* destroyed meanwhile */
    return;
  for (guint i = 0; i < reports->len; i++) {
    MsReport *report = reports->pdata[i];
    g_autofree char *folder = ms_kept_reports_folder(report->device.name, report->device.platform);
    if (g_strcmp0(folder, self->folder) == 0 &&
        is_later(report, g_hash_table_lookup(self->reports, report->experiment->name)))
      take_report(self, report);
  }
  g_free(self->damage);
  self->damage = g_steal_pointer(&damage);
  gtk_tree_model_foreach(GTK_TREE_MODEL(self->store), update_status, self);
  ms_job_panel_update_ready(MS_JOB_PANEL(self));
}

static void
on_kept_saved(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;

  if (!ms_kept_reports_save_finish(result, &error) && MS_EXPERIMENT_PANEL(source)->tree)
    on_problem(MS_EXPERIMENT_PANEL(source), error);
}

/* Loads what is kept for the device unless that is done: another panel or window may have run an experiment. */
static void
load_kept(MsExperimentPanel *self)
{
  MsDevice *device = ms_panel_get_device(MS_PANEL(self));

  if (!device)
    return;
  g_autofree char *folder = ms_kept_reports_folder(device->name, device->platform);
  const gint64 stamp = ms_kept_reports_stamp(folder);
  if (g_strcmp0(folder, self->folder) != 0) {
    g_hash_table_remove_all(self->reports); /* of another device */
    ms_report_view_set_report(self->view, NULL);
    gtk_tree_model_foreach(GTK_TREE_MODEL(self->store), update_status, self);
  } else if (stamp == self->stamp) {
    return;
  }
  g_free(self->folder);
  self->folder = g_steal_pointer(&folder);
  self->stamp = stamp;
  ms_report_files_load_async((const char *const[]){stamp ? self->folder : NULL, NULL}, self, on_kept_loaded);
}

static void
ms_experiment_panel_refresh(MsPanel *panel)
{
  update_on_picture(MS_EXPERIMENT_PANEL(panel));
  load_kept(MS_EXPERIMENT_PANEL(panel));
  ms_job_panel_update_ready(MS_JOB_PANEL(panel));
}

/* Takes the report of the running experiment, and keeps it for the next start when it is complete. */
static void
ms_experiment_panel_take(MsJobPanel *panel, const char *name, JsonObject *event)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);
  g_autoptr(MsReport) report = strcmp(name, "report") == 0 ? ms_job_panel_read_report(panel, event) : NULL;

  if (!report)
    return;
  take_report(self, report);
  gtk_tree_model_foreach(GTK_TREE_MODEL(self->store), update_status, self);
  if (report->complete)
    ms_kept_reports_save_async(report, self, on_kept_saved);
}

static char *
ms_experiment_panel_progress_text(MsJobPanel *panel, const char *message)
{
  return g_strdup_printf("%s: %s", ms_experiment_text(MS_EXPERIMENT_PANEL(panel)->running->title, MS_LANGUAGE_USER),
                         message);
}

static char *
ms_experiment_panel_ended_text(MsJobPanel *panel, gboolean cancelled)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);
  const MsReport *report = g_hash_table_lookup(self->reports, self->running->name);

  if (cancelled)
    return g_strdup(_("Cancelled; the results so far are shown."));
  if (!report)
    return g_strdup("");
  guint ok = ms_report_count(report, MS_OUTCOME_OK), wrong = ms_report_count(report, MS_OUTCOME_WRONG);
  g_autofree char *bad = wrong ? g_strdup_printf(_(", %u WRONG"), wrong) : g_strdup("");
  return g_strdup_printf(_("Done: %u of %u configurations measured and verified%s."), ok, report->rows->len, bad);
}

static gboolean
ms_experiment_panel_start(MsJobPanel *panel, MsProgramJob *job)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(panel);
  const char *file = get_file(self);
  g_autoptr(GError) error = NULL;

  /* A file of one's own may have been edited since it was read. */
  if (file && !ms_experiment_panel_add_file(self, file, &error) && error) {
    on_problem(self, error);
    return FALSE;
  }
  MsExperiment *selected = get_selected(self);
  if (!selected)
    return FALSE;
  g_clear_pointer(&self->running, ms_experiment_unref);
  self->running = ms_experiment_ref(selected);
  ms_job_panel_add_experiment(job, selected);
  if (gtk_toggle_button_get_active(self->quick))
    ms_program_job_add(job, "--quick");
  if (gtk_toggle_button_get_active(self->on_picture) && gtk_widget_get_sensitive(GTK_WIDGET(self->on_picture)))
    ms_job_panel_add_picture(panel, job);
  return TRUE;
}

static void
on_file_chosen(GtkWidget *widget, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);
  g_autoptr(GError) error = NULL;

  if (path && !ms_experiment_panel_add_file(MS_EXPERIMENT_PANEL(widget), path, &error))
    on_problem(MS_EXPERIMENT_PANEL(widget), error);
}

static void
on_open_clicked(MsExperimentPanel *self)
{
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_OPEN, _("Open an Experiment"), _("_Open"), NULL, FALSE};

  ms_files_choose(GTK_WIDGET(self), &question, on_file_chosen);
}

static void
on_new_chosen(GtkWidget *widget, GFile *file)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(widget);
  g_autoptr(GError) error = NULL;
  g_autofree char *chosen = g_file_get_path(file);
  g_autofree char *path = chosen ? ms_own_experiment_write(chosen, &error) : NULL;

  if (chosen && (!path || !ms_experiment_panel_add_file(self, path, &error)))
    on_problem(self, error);
}

static void
on_new_clicked(MsExperimentPanel *self)
{
  const MsFileQuestion question = {.action = GTK_FILE_CHOOSER_ACTION_SAVE,
                                   .title = _("New Experiment"),
                                   .accept = _("_Create"),
                                   .name = _("my-step.experiment"),
                                   .folder = g_get_user_special_dir(G_USER_DIRECTORY_DOCUMENTS)};

  ms_files_choose(GTK_WIDGET(self), &question, on_new_chosen);
}

/* Object */

static void
ms_experiment_panel_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MS_EXPERIMENT_PANEL(object)->learns = g_value_get_boolean(value);
}

static void
ms_experiment_panel_constructed(GObject *object)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(object);
  g_autoptr(GError) error = NULL;

  G_OBJECT_CLASS(ms_experiment_panel_parent_class)->constructed(object);
  gtk_widget_set_visible(self->open, !self->learns);
  gtk_widget_set_visible(self->next, self->learns);
  if (self->learns ? add_steps(self, &error) : add_shipped(self, &error))
    show_details(self);
  else
    gtk_label_set_text(self->details, error->message);
  if (self->learns)
    on_next_clicked(self);
}

static void
ms_experiment_panel_dispose(GObject *object)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(object);

  if (self->tree)
    g_signal_handlers_disconnect_by_data(gtk_tree_view_get_selection(self->tree), self);
  G_OBJECT_CLASS(ms_experiment_panel_parent_class)->dispose(object);
}

static void
ms_experiment_panel_finalize(GObject *object)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(object);

  g_ptr_array_unref(self->experiments);
  g_hash_table_unref(self->reports);
  g_hash_table_unref(self->files);
  g_clear_pointer(&self->running, ms_experiment_unref);
  g_free(self->folder);
  g_free(self->damage);
  G_OBJECT_CLASS(ms_experiment_panel_parent_class)->finalize(object);
}

/* Gives the list its share of the window until a person moves its edge, so that names differ before they are cut. */
static void
ms_experiment_panel_map(GtkWidget *widget)
{
  MsExperimentPanel *self = MS_EXPERIMENT_PANEL(widget);
  const int share = gtk_widget_get_allocated_width(gtk_widget_get_toplevel(widget)) * 3 / 10;
  gboolean set;

  g_object_get(self->paned, "position-set", &set, NULL);
  if (!set || gtk_paned_get_position(self->paned) == self->position)
    gtk_paned_set_position(self->paned, self->position = CLAMP(share, LIST_LEAST_WIDTH, LIST_GREATEST_WIDTH));
  GTK_WIDGET_CLASS(ms_experiment_panel_parent_class)->map(widget);
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsExperimentPanel, name)
#define CALLBACK(name) MS_TEMPLATE_CALLBACK(name)

static void
ms_experiment_panel_class_init(MsExperimentPanelClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(paned),
                                         CHILD(search),
                                         CHILD(tree),
                                         CHILD(store),
                                         CHILD(filter),
                                         CHILD(open),
                                         CHILD(next),
                                         CHILD(own),
                                         CHILD(log),
                                         CHILD(log_text),
                                         CHILD(title),
                                         CHILD(details),
                                         CHILD(quick),
                                         CHILD(on_picture),
                                         CHILD(view),
                                         CALLBACK(show_details),
                                         CALLBACK(on_search_changed),
                                         CALLBACK(on_selection_changed),
                                         CALLBACK(on_open_clicked),
                                         CALLBACK(on_new_clicked),
                                         CALLBACK(on_own_clicked),
                                         CALLBACK(on_next_clicked),
                                         CALLBACK(on_problem)};

  G_OBJECT_CLASS(klass)->constructed = ms_experiment_panel_constructed;
  G_OBJECT_CLASS(klass)->dispose = ms_experiment_panel_dispose;
  G_OBJECT_CLASS(klass)->finalize = ms_experiment_panel_finalize;
  G_OBJECT_CLASS(klass)->set_property = ms_experiment_panel_set_property;
  MS_PANEL_CLASS(klass)->refresh = ms_experiment_panel_refresh;
  MS_JOB_PANEL_CLASS(klass)->start = ms_experiment_panel_start;
  MS_JOB_PANEL_CLASS(klass)->take = ms_experiment_panel_take;
  MS_JOB_PANEL_CLASS(klass)->progress_text = ms_experiment_panel_progress_text;
  MS_JOB_PANEL_CLASS(klass)->ended_text = ms_experiment_panel_ended_text;
  MS_JOB_PANEL_CLASS(klass)->ready_text = ms_experiment_panel_ready_text;
  g_object_class_install_property(
    G_OBJECT_CLASS(klass), PROP_LEARN,
    g_param_spec_boolean("learn", NULL, NULL, FALSE,
                         G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS));
  GTK_WIDGET_CLASS(klass)->map = ms_experiment_panel_map;
  g_type_ensure(MS_TYPE_REPORT_VIEW);
  ms_job_panel_bind(MS_JOB_PANEL_CLASS(klass), "panels/experiment/experiment-panel.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_experiment_panel_init(MsExperimentPanel *self)
{
  self->experiments = g_ptr_array_new_with_free_func((GDestroyNotify)ms_experiment_unref);
  self->reports = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)ms_report_unref);
  self->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_tree_model_filter_set_visible_func(GTK_TREE_MODEL_FILTER(self->filter), is_visible, self, NULL);
  gtk_tree_selection_set_select_function(gtk_tree_view_get_selection(self->tree), is_selectable, NULL, NULL);
  ms_table_tooltip(self->tree, COLUMN_HINT);
}
