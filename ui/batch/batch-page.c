/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-page.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/error.h"
#include "ui/batch/batch-form.h"
#include "ui/batch/batch-rows.h"
#include "ui/common/files.h"
#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/common/thumbnails.h"
#include "ui/panels/common/table.h"
#include "ui/program/program-job.h"

/* Events come much faster than anyone reads. */
#define REFRESH_MS 100

/* A request is planned when it has not changed for this time, because text is typed letter by letter. */
#define PLANNING_DELAY_MS 200

/* The largest thumbnail of a row and the largest preview, in pixels. */
#define THUMBNAIL_WIDTH 48
#define THUMBNAIL_HEIGHT 36
#define PREVIEW_WIDTH 320
#define PREVIEW_HEIGHT 220

/* The height of a row: that of its thumbnail, and of two lines of a message. */
#define ROW_HEIGHT (THUMBNAIL_HEIGHT + 4)

#define NOTIFICATION "batch"

struct _MsBatchPage {
  GtkBin parent_instance;
  MsBatchRows *rows;
  MsBatchSpec *spec; /* (nullable): the batch in the list */
  MsProgramJob *job; /* (nullable): its newest run */
  char *folder;      /* (nullable): a temporary one, for the manifest of a batch that is to have none */
  gboolean outdated; /* the form says something else than @spec */
  gboolean began;    /* a run of @spec has begun, which the next one resumes */
  gboolean planning; /* @job only lists what a run would write */
  gboolean paused;
  guint refresh;         /* (source): shows the progress */
  guint delay;           /* (source): plans what the form says */
  gint64 started_us;     /* later by the time that it was paused */
  gint64 paused_us;      /* while it is paused: since when */
  guint finished_before; /* images that were finished when the run began */
  char *problem;         /* (nullable): why the newest run ended early */

  /* What a batch that has run would do with other settings, which stands beside it. */
  MsBatchRows *outlook;
  MsProgramJob *outlook_job; /* (nullable): makes the plan */

  GtkWidget *form;
  GtkWidget *check;
  GtkWidget *start;
  GtkWidget *pause;
  GtkWidget *cancel;
  GtkWidget *retry;
  GtkWidget *copy;
  GtkWidget *copy_manifest;
  GtkWidget *progress;
  GtkWidget *note;
  GtkWidget *since;
  GtkWidget *failed; /* not a link in the note: GTK warns when a screen reader asks for a link that is gone */
  GtkWidget *tree;
  GtkWidget *preview;
  GtkWidget *message; /* of the selected picture, whole */
  GtkWidget *before;  /* the selected picture */
  GtkWidget *after;
  GCancellable *loading; /* (nullable): of both */
};

G_DEFINE_FINAL_TYPE(MsBatchPage, ms_batch_page, GTK_TYPE_BIN)

enum {
  PROP_0,
  PROP_DOCUMENT,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];
static guint open_signal;

static gboolean
is_busy(MsBatchPage *self)
{
  return self->job && ms_program_job_is_running(self->job);
}

/* Whether pictures are being filtered. */
static gboolean
is_running(MsBatchPage *self)
{
  return is_busy(self) && !self->planning;
}

/* Whether the list shows the images that the form describes, so that a run continues with the pending ones. */
static gboolean
list_is_current(MsBatchPage *self)
{
  return self->spec && !self->outdated;
}

/* Whether the list is what became of pictures, which stays until a person starts another batch or changes the form. */
static gboolean
has_record(MsBatchPage *self)
{
  return self->began && self->rows->iters->len > 0;
}

static gboolean
is_failed_row(GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  int status;

  gtk_tree_model_get(model, iter, MS_BATCH_STATUS, &status, -1);
  return status == MS_ITEM_FAILED;
}

/* Rows that are filtered cannot be sorted. */
static void
show_rows(MsBatchPage *self, gboolean failed_only)
{
  GtkTreeView *tree = GTK_TREE_VIEW(self->tree);
  GtkTreeModel *store = GTK_TREE_MODEL(self->rows->store);

  gtk_tree_view_set_headers_clickable(tree, !failed_only);
  if (!failed_only) {
    gtk_tree_view_set_model(tree, store);
    return;
  }
  g_autoptr(GtkTreeModel) filter = gtk_tree_model_filter_new(store, NULL);
  gtk_tree_model_filter_set_visible_func(GTK_TREE_MODEL_FILTER(filter), is_failed_row, NULL, NULL);
  gtk_tree_view_set_model(tree, filter);
}

/* Detaches the view from the model, because it would handle the removal of each row. */
static void
clear_rows(MsBatchPage *self)
{
  gtk_tree_view_set_model(GTK_TREE_VIEW(self->tree), NULL);
  ms_batch_rows_clear(self->rows);
  show_rows(self, FALSE);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->failed), FALSE);
  gtk_widget_hide(self->failed);
}

static void
update_buttons(MsBatchPage *self)
{
  gboolean running = is_running(self), ready = ms_batch_form_is_ready(MS_BATCH_FORM(self->form));
  const guint *counts = self->rows->counts;
  gboolean nothing_to_do =
    list_is_current(self) && !is_busy(self) && self->rows->iters->len > 0 && counts[MS_ITEM_PENDING] == 0;

  gtk_widget_set_sensitive(self->form, !running);
  gtk_widget_set_sensitive(self->check, ready && !is_busy(self));
  gtk_widget_set_sensitive(self->start, ready && !running && !nothing_to_do);
  gtk_widget_set_visible(self->start, !running);
  gtk_widget_set_visible(self->pause, running);
  gtk_button_set_label(GTK_BUTTON(self->pause), self->paused ? _("_Continue") : _("_Pause"));
  gtk_widget_set_sensitive(self->cancel, running);
  gtk_widget_set_sensitive(self->retry, !running && self->began && counts[MS_ITEM_FAILED] > 0);
  gtk_widget_set_sensitive(self->copy, ready);
  gtk_widget_set_sensitive(self->copy_manifest, !running && self->spec &&
                                                  counts[MS_ITEM_DONE] + counts[MS_ITEM_FAILED] > 0 &&
                                                  self->spec->manifest);
}

/* (transfer full): the manifest by which a run resumes an earlier one where the batch is to have none */
static char *
own_manifest(MsBatchPage *self)
{
  return g_build_filename(self->folder, "manifest.jsonl", NULL);
}

static void
forget_outlook(MsBatchPage *self)
{
  ms_program_job_drop(g_steal_pointer(&self->outlook_job), self);
  ms_batch_rows_clear(self->outlook);
}

static void
forget_batch(MsBatchPage *self)
{
  ms_program_job_drop(g_steal_pointer(&self->job), self);
  forget_outlook(self);
  g_clear_pointer(&self->problem, g_free);
  g_clear_pointer(&self->spec, ms_batch_spec_free);
  if (self->folder) {
    g_autofree char *manifest = own_manifest(self);
    g_unlink(manifest);
    g_rmdir(self->folder);
  }
  g_clear_pointer(&self->folder, g_free);
  self->began = FALSE;
}

/** ms_batch_page_add: adds a file or folder; nothing is written before a dry run or the start. */
void
ms_batch_page_add(MsBatchPage *self, GFile *file)
{
  ms_batch_form_add(MS_BATCH_FORM(self->form), file);
}

/* Running */

static void
show_progress(MsBatchPage *self)
{
  const guint *counts = self->rows->counts;
  guint finished = counts[MS_ITEM_DONE] + counts[MS_ITEM_FAILED], all = finished + counts[MS_ITEM_PENDING];
  double seconds = ((self->paused ? self->paused_us : g_get_monotonic_time()) - self->started_us) * 1e-6;
  double rate = is_running(self) && seconds > 0.2 ? (finished - self->finished_before) / seconds : 0;
  g_autofree char *text = ms_batch_rows_describe(self->rows, rate);
  g_autofree char *failed = ms_batch_rows_describe_failures(self->rows);

  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress),
                                all > 0 && !self->rows->is_plan ? (double)finished / all : 0);
  gtk_label_set_text(GTK_LABEL(self->note), self->problem ? self->problem : text);
  gtk_widget_set_tooltip_text(self->note, self->problem);
  gtk_button_set_label(GTK_BUTTON(self->failed), failed);
  gtk_widget_set_visible(self->failed, counts[MS_ITEM_FAILED] > 0);
  if (counts[MS_ITEM_FAILED] == 0)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->failed), FALSE);
}

static void
on_failed_toggled(MsBatchPage *self)
{
  show_rows(self, gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->failed)));
}

/* Tells a person who looks at another window that the batch has ended. */
static void
notify(MsBatchPage *self)
{
  GApplication *application = g_application_get_default();
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(self));
  const guint *counts = self->rows->counts;

  if (!application || !GTK_IS_WINDOW(window) || gtk_window_is_active(GTK_WINDOW(window)))
    return;
  g_autoptr(GNotification) notification = g_notification_new(_("The batch has ended"));
  g_autofree char *body = g_strdup_printf(_("%u done, %u failed"), counts[MS_ITEM_DONE], counts[MS_ITEM_FAILED]);
  g_notification_set_body(notification, body);
  g_application_send_notification(application, NOTIFICATION, notification);
}

static gboolean
on_refresh(gpointer data)
{
  MsBatchPage *self = data;

  self->refresh = 0;
  show_progress(self);
  return G_SOURCE_REMOVE;
}

static void
on_event(MsBatchPage *self, const char *name, JsonObject *event)
{
  if (strcmp(name, "planned") != 0 && strcmp(name, "finished") != 0)
    return;
  self->rows->is_plan = self->planning;
  ms_batch_rows_take_event(self->rows, event);
  if (self->refresh == 0)
    self->refresh = g_timeout_add(REFRESH_MS, on_refresh, self);
}

/* What would happen now, beside what has happened. */

static void
show_outlook(MsBatchPage *self)
{
  const gboolean differs = has_record(self) && self->outdated && !is_running(self);
  const gboolean known = !self->outlook_job || !ms_program_job_is_running(self->outlook_job);
  g_autofree char *text = ms_batch_rows_describe_outlook(known ? self->outlook : NULL);

  gtk_label_set_text(GTK_LABEL(self->since), differs ? text : "");
  gtk_widget_set_visible(self->since, differs);
}

static void
on_outlook_event(MsBatchPage *self, const char *name, JsonObject *event)
{
  if (strcmp(name, "planned") == 0)
    ms_batch_rows_take_event(self->outlook, event);
}

static void
plan_outlook(MsBatchPage *self)
{
  g_autoptr(MsBatchSpec) spec = ms_batch_form_new_spec(MS_BATCH_FORM(self->form));
  g_auto(GStrv) words = ms_batch_spec_to_arguments(spec, spec->manifest);

  forget_outlook(self);
  self->outlook->is_plan = TRUE;
  self->outlook_job = ms_program_job_new();
  ms_program_job_add_words(self->outlook_job, (const char *const *)words);
  ms_program_job_add(self->outlook_job, "--dry-run");
  g_signal_connect_object(self->outlook_job, "event", G_CALLBACK(on_outlook_event), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->outlook_job, "ended", G_CALLBACK(show_outlook), self, G_CONNECT_SWAPPED);
  ms_program_job_start(self->outlook_job, NULL);
}

static gboolean on_delay_over(gpointer data);

static void
plan_soon(MsBatchPage *self)
{
  g_clear_handle_id(&self->delay, g_source_remove);
  self->delay = g_timeout_add(PLANNING_DELAY_MS, on_delay_over, self);
}

/* Asks again what would happen with the present settings, if they are not those of the batch in the list. */
static void
update_outlook(MsBatchPage *self)
{
  forget_outlook(self);
  g_clear_handle_id(&self->delay, g_source_remove);
  if (self->outdated && !is_running(self))
    plan_soon(self);
  show_outlook(self);
}

static void
on_ended(MsBatchPage *self, GError *error)
{
  const gboolean cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  g_clear_handle_id(&self->refresh, g_source_remove);
  self->paused = FALSE;
  g_clear_pointer(&self->problem, g_free);
  if (error && !cancelled)
    self->problem = ms_words_of_window(error->message);
  if (error && !cancelled && self->rows->iters->len == 0)
    self->outdated = TRUE;
  ms_batch_rows_restore_failures(self->rows);
  show_progress(self);
  if (!self->planning && !cancelled)
    notify(self);
  if (has_record(self))
    update_outlook(self);
  update_buttons(self);
}

static void
make_batch(MsBatchPage *self)
{
  if (list_is_current(self))
    return;
  forget_batch(self);
  self->spec = ms_batch_form_new_spec(MS_BATCH_FORM(self->form));
  g_clear_handle_id(&self->delay, g_source_remove);
  clear_rows(self);
  self->outdated = FALSE;
}

/*
 * Runs the program for the batch in the list. A later run has the same arguments, so that each picture gets the same
 * name, and leaves out what the manifest says is done.
 */
static void
begin(MsBatchPage *self, gboolean dry_run)
{
  g_autoptr(GError) error = NULL;

  self->planning = dry_run;
  g_clear_pointer(&self->problem, g_free);
  forget_outlook(self);
  ms_batch_rows_note_failures(self->rows);
  self->started_us = g_get_monotonic_time();
  self->finished_before = self->rows->counts[MS_ITEM_DONE];
  ms_program_job_drop(g_steal_pointer(&self->job), self);
  if (!self->spec->manifest && !self->folder && !(self->folder = ms_program_job_make_folder(&error))) {
    on_ended(self, error);
    return;
  }
  g_autofree char *own = self->folder ? own_manifest(self) : NULL;
  g_auto(GStrv) words = ms_batch_spec_to_arguments(self->spec, own ? own : self->spec->manifest);
  self->job = ms_program_job_new();
  ms_program_job_add_words(self->job, (const char *const *)words);
  if (dry_run)
    ms_program_job_add(self->job, "--dry-run");
  else if (self->began)
    ms_program_job_add(self->job, "--resume");
  self->began = self->began || !dry_run;
  g_signal_connect_object(self->job, "event", G_CALLBACK(on_event), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->job, "ended", G_CALLBACK(on_ended), self, G_CONNECT_SWAPPED);
  ms_program_job_start(self->job, NULL);
  show_outlook(self);
  update_buttons(self);
}

/* Lists what a run would write: the program itself says it, so that the list is that of the run. */
static void
plan(MsBatchPage *self)
{
  self->outdated = TRUE;
  make_batch(self);
  begin(self, TRUE);
}

static gboolean
on_delay_over(gpointer data)
{
  MsBatchPage *self = data;

  self->delay = 0;
  if (!ms_batch_form_is_ready(MS_BATCH_FORM(self->form)))
    return G_SOURCE_REMOVE;
  if (has_record(self))
    plan_outlook(self);
  else
    plan(self);
  return G_SOURCE_REMOVE;
}

/* A person has changed the form, so that the list of an earlier request is replaced. */
static void
on_request_changed(MsBatchPage *self)
{
  self->outdated = TRUE;
  if (!is_running(self)) {
    forget_batch(self);
    clear_rows(self);
    gtk_label_set_text(GTK_LABEL(self->note), "");
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), 0);
    plan_soon(self);
  }
  show_outlook(self);
  update_buttons(self);
}

/* A picture's settings, the device or a preset may have changed: what has run stays, what was only planned does not. */
static void
on_settings_changed(MsBatchPage *self)
{
  g_autoptr(MsBatchSpec) now = ms_batch_form_new_spec(MS_BATCH_FORM(self->form));
  const gboolean differs = !self->spec || self->rows->iters->len == 0 || !ms_batch_spec_equal(self->spec, now);

  if (differs == self->outdated && !differs)
    return;
  if (!has_record(self) && !is_running(self)) {
    on_request_changed(self);
    return;
  }
  self->outdated = differs;
  update_outlook(self);
  update_buttons(self);
}

static void
on_check_clicked(MsBatchPage *self)
{
  plan(self);
}

static void
on_start_clicked(MsBatchPage *self)
{
  make_batch(self);
  begin(self, FALSE);
}

static void
on_retry_clicked(MsBatchPage *self)
{
  begin(self, FALSE);
}

static void
on_pause_clicked(MsBatchPage *self)
{
  const gint64 now = g_get_monotonic_time();

  self->paused = !self->paused;
  if (self->paused)
    self->paused_us = now;
  else
    self->started_us += now - self->paused_us;
  ms_program_job_set_paused(self->job, self->paused);
  update_buttons(self);
}

static void
on_cancel_clicked(MsBatchPage *self)
{
  ms_program_job_cancel(self->job);
}

static void
on_copy_clicked(MsBatchPage *self)
{
  g_autoptr(MsBatchSpec) spec = ms_batch_form_new_spec(MS_BATCH_FORM(self->form));
  g_autofree char *line = ms_batch_spec_command_line(spec);

  gtk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD), line, -1);
  gtk_label_set_text(GTK_LABEL(self->note), _("The command line is on the clipboard."));
}

static void
on_copy_manifest_clicked(MsBatchPage *self)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  if (g_file_get_contents(self->spec->manifest, &text, NULL, &error))
    gtk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD), text, -1);
  gtk_label_set_text(GTK_LABEL(self->note), error ? error->message : _("The manifest is on the clipboard."));
}

/* The list */

static gboolean
selected_paths(MsBatchPage *self, char **input, char **output, MsItemStatus *status)
{
  GtkTreeSelection *selection = gtk_tree_view_get_selection(GTK_TREE_VIEW(self->tree));
  GtkTreeModel *model;
  GtkTreeIter iter;
  int value;

  if (!gtk_tree_selection_get_selected(selection, &model, &iter))
    return FALSE;
  gtk_tree_model_get(model, &iter, MS_BATCH_INPUT, input, MS_BATCH_OUTPUT, output, MS_BATCH_STATUS, &value, -1);
  *status = (MsItemStatus)value;
  return TRUE;
}

static void
load_preview_in_thread(GTask *task, gpointer image, gpointer path, GCancellable *cancellable)
{
  g_task_return_pointer(task, ms_thumbnail_load(path, PREVIEW_WIDTH, PREVIEW_HEIGHT, 0), g_object_unref);
}

static void
on_loaded(GObject *image, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GdkPixbuf) pixbuf = g_task_propagate_pointer(G_TASK(result), &error);

  if (!error)
    ms_thumbnail_show(GTK_IMAGE(image), pixbuf);
}

/* Shows a picture, which is decoded off the main thread; @path: (nullable) */
static void
preview(MsBatchPage *self, GtkWidget *image, const char *path)
{
  g_autoptr(GTask) task = g_task_new(image, self->loading, on_loaded, NULL);

  gtk_image_clear(GTK_IMAGE(image));
  if (!path)
    return;
  g_task_set_task_data(task, g_strdup(path), g_free);
  g_task_run_in_thread(task, load_preview_in_thread);
}

static void
stop_loading(MsBatchPage *self)
{
  if (self->loading)
    g_cancellable_cancel(self->loading);
  g_clear_object(&self->loading);
}

static void
on_selection_changed(MsBatchPage *self)
{
  g_autofree char *input = NULL, *output = NULL, *message = NULL;
  MsItemStatus status;
  GtkTreeModel *model;
  GtkTreeIter iter;
  gboolean any = selected_paths(self, &input, &output, &status);

  if (gtk_tree_selection_get_selected(gtk_tree_view_get_selection(GTK_TREE_VIEW(self->tree)), &model, &iter))
    gtk_tree_model_get(model, &iter, MS_BATCH_MESSAGE, &message, -1);

  gtk_widget_set_visible(self->preview, any);
  gtk_widget_set_visible(self->message, any && message && message[0]);
  gtk_label_set_text(GTK_LABEL(self->message), any && message ? message : "");
  if (!any)
    return;
  stop_loading(self);
  self->loading = g_cancellable_new();
  preview(self, self->before, input);
  preview(self, self->after, status == MS_ITEM_DONE ? output : NULL);
}

static void
on_row_activated(MsBatchPage *self)
{
  g_autofree char *input = NULL, *output = NULL;
  MsItemStatus status;

  if (selected_paths(self, &input, &output, &status))
    g_signal_emit(self, open_signal, 0, input);
}

/* The whole of what the columns cut off: paths and message. */
static gboolean
on_query_tooltip(MsBatchPage *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  GtkTreeView *tree = GTK_TREE_VIEW(self->tree);
  g_autoptr(GtkTreePath) path = NULL;
  g_autofree char *input = NULL, *result = NULL, *message = NULL;
  GtkTreeModel *model;
  GtkTreeIter iter;

  if (!gtk_tree_view_get_tooltip_context(tree, &x, &y, keyboard, &model, &path, &iter))
    return FALSE;
  gtk_tree_model_get(model, &iter, MS_BATCH_INPUT, &input, MS_BATCH_RESULT, &result, MS_BATCH_MESSAGE, &message, -1);
  g_autofree char *shown = input ? g_filename_display_name(input) : g_strdup("");
  g_autoptr(GString) text = g_string_new(shown);
  if (result)
    g_string_append_printf(text, "\n→ %s", result);
  if (message)
    g_string_append_printf(text, "\n%s", message);
  gtk_tooltip_set_text(tooltip, text->str);
  gtk_tree_view_set_tooltip_row(tree, tooltip, path);
  return TRUE;
}

static const MsTableColumn columns[] = {
  {N_("Picture"), MS_BATCH_NAME, MS_BATCH_NAME, .expands = TRUE, .ellipsize = PANGO_ELLIPSIZE_MIDDLE, .width = 110},
  {N_("Result"), MS_BATCH_RESULT, MS_BATCH_RESULT, .expands = TRUE, .ellipsize = PANGO_ELLIPSIZE_START, .width = 130},
  {N_("State"), MS_BATCH_STATE, MS_BATCH_STATE, .ellipsize = PANGO_ELLIPSIZE_END, .width = 88},
  {N_("Message"), MS_BATCH_REASON, MS_BATCH_MESSAGE, .expands = TRUE, .width = 160},
  {N_("Size"), MS_BATCH_SIZE, MS_BATCH_SIZE, .ellipsize = PANGO_ELLIPSIZE_END, .width = 88},
  {N_("Kernel time"), MS_BATCH_TIME, MS_BATCH_TIME, .ellipsize = PANGO_ELLIPSIZE_END, .width = 104},
};

/* A message takes two lines of its column. */
static void
on_message_width(GtkTreeViewColumn *column)
{
  g_object_set(ms_table_get_cell(column), "wrap-width", MAX(gtk_tree_view_column_get_width(column) - 8, 40), NULL);
}

static void
add_columns(GtkTreeView *tree)
{
  ms_table_add_columns(tree, columns, G_N_ELEMENTS(columns));
  for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
    if (columns[i].text == MS_BATCH_REASON) {
      GtkTreeViewColumn *column = gtk_tree_view_get_column(tree, (int)i);

      g_object_set(ms_table_get_cell(column), "wrap-mode", PANGO_WRAP_WORD_CHAR, NULL);
      gtk_cell_renderer_set_fixed_size(ms_table_get_cell(column), -1, ROW_HEIGHT);
      g_signal_connect(column, "notify::width", G_CALLBACK(on_message_width), NULL);
    }
}

/* GTK asks only for rows in view, so only their files are decoded. */
static void
show_thumbnail(GtkTreeViewColumn *column, GtkCellRenderer *cell, GtkTreeModel *model, GtkTreeIter *iter, gpointer data)
{
  g_autofree char *input = NULL;

  gtk_tree_model_get(model, iter, MS_BATCH_INPUT, &input, -1);
  g_object_set(cell, "pixbuf", input ? ms_thumbnails_get(data, input) : NULL, NULL);
}

/* Puts a column of thumbnails before the others. */
static void
add_thumbnails(GtkTreeView *tree)
{
  GtkCellRenderer *cell = gtk_cell_renderer_pixbuf_new();
  GtkTreeViewColumn *column = gtk_tree_view_column_new();
  MsThumbnails *thumbnails = ms_thumbnails_new(THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);

  g_signal_connect_object(thumbnails, "loaded", G_CALLBACK(gtk_widget_queue_draw), tree, G_CONNECT_SWAPPED);
  gtk_cell_renderer_set_fixed_size(cell, THUMBNAIL_WIDTH + 4, ROW_HEIGHT);
  gtk_tree_view_column_pack_start(column, cell, TRUE);
  gtk_tree_view_column_set_sizing(column, GTK_TREE_VIEW_COLUMN_FIXED);
  gtk_tree_view_column_set_fixed_width(column, THUMBNAIL_WIDTH + 8);
  gtk_tree_view_column_set_cell_data_func(column, cell, show_thumbnail, thumbnails, g_object_unref);
  gtk_tree_view_insert_column(tree, column, 0);
}

static void
on_dropped(GtkWidget *widget, char **uris)
{
  for (guint i = 0; uris && uris[i]; i++) {
    g_autoptr(GFile) file = g_file_new_for_uri(uris[i]);
    ms_batch_page_add(MS_BATCH_PAGE(widget), file);
  }
}

/* Object */

static void
ms_batch_page_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ms_batch_form_set_document(MS_BATCH_FORM(MS_BATCH_PAGE(object)->form), g_value_get_object(value));
}

static void
ms_batch_page_dispose(GObject *object)
{
  MsBatchPage *self = MS_BATCH_PAGE(object);

  forget_batch(self);
  g_clear_handle_id(&self->refresh, g_source_remove);
  g_clear_handle_id(&self->delay, g_source_remove);
  stop_loading(self);
  G_OBJECT_CLASS(ms_batch_page_parent_class)->dispose(object);
}

static void
ms_batch_page_finalize(GObject *object)
{
  ms_batch_rows_free(MS_BATCH_PAGE(object)->rows);
  ms_batch_rows_free(MS_BATCH_PAGE(object)->outlook);
  G_OBJECT_CLASS(ms_batch_page_parent_class)->finalize(object);
}

#define CHILD(name) MS_TEMPLATE_CHILD(MsBatchPage, name)
#define CALLBACK(name) MS_TEMPLATE_CALLBACK(name)

static void
ms_batch_page_class_init(MsBatchPageClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(form),
                                         CHILD(check),
                                         CHILD(start),
                                         CHILD(pause),
                                         CHILD(cancel),
                                         CHILD(retry),
                                         CHILD(copy),
                                         CHILD(copy_manifest),
                                         CHILD(progress),
                                         CHILD(note),
                                         CHILD(since),
                                         CHILD(failed),
                                         CHILD(tree),
                                         CHILD(message),
                                         CHILD(preview),
                                         CHILD(before),
                                         CHILD(after),
                                         CALLBACK(on_request_changed),
                                         CALLBACK(on_settings_changed),
                                         CALLBACK(on_check_clicked),
                                         CALLBACK(on_start_clicked),
                                         CALLBACK(on_pause_clicked),
                                         CALLBACK(on_cancel_clicked),
                                         CALLBACK(on_retry_clicked),
                                         CALLBACK(on_copy_clicked),
                                         CALLBACK(on_copy_manifest_clicked),
                                         CALLBACK(on_selection_changed),
                                         CALLBACK(on_failed_toggled),
                                         CALLBACK(on_query_tooltip),
                                         CALLBACK(on_row_activated)};
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->set_property = ms_batch_page_set_property;
  object_class->dispose = ms_batch_page_dispose;
  object_class->finalize = ms_batch_page_finalize;
  properties[PROP_DOCUMENT] =
    g_param_spec_object("document", NULL, NULL, MS_TYPE_DOCUMENT, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  open_signal =
    g_signal_new("open", MS_TYPE_BATCH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  g_type_ensure(MS_TYPE_BATCH_FORM);
  ms_template_bind(klass, "batch/batch-page.ui", parts, G_N_ELEMENTS(parts));
}

static void
ms_batch_page_init(MsBatchPage *self)
{
  self->rows = ms_batch_rows_new();
  self->outlook = ms_batch_rows_new();
  gtk_widget_init_template(GTK_WIDGET(self));
  add_columns(GTK_TREE_VIEW(self->tree));
  add_thumbnails(GTK_TREE_VIEW(self->tree));
  gtk_tree_view_set_model(GTK_TREE_VIEW(self->tree), GTK_TREE_MODEL(self->rows->store));
  ms_drops_accept(GTK_WIDGET(self), on_dropped);
  update_buttons(self);
}

/** ms_batch_page_set_engine: sets, once, the engine whose device batches use. */
void
ms_batch_page_set_engine(MsBatchPage *self, MsWindowEngine *engine)
{
  ms_batch_form_set_engine(MS_BATCH_FORM(self->form), engine);
}
