/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-page.h"

#include <math.h>

#include "core/batch/naming.h"
#include "core/filter/filter-presets.h"
#include "ui/batch/batch-preview.h"
#include "ui/batch/batch-rows.h"
#include "ui/common/format.h"

struct _MsBatchPage {
  GtkBin parent_instance;
  MsWindowEngine *engine;
  MsDocument *document; /* (nullable) */
  MsPresets *presets;
  GPtrArray *inputs; /* paths */
  MsBatchRows *rows;
  MsBatchJob *job; /* (nullable): the batch in the list */
  gboolean paused;
  gint64 started_us;
  guint finished_before; /* images that were finished when the run began */

  GtkWidget *inputs_label;
  GtkWidget *recursive;
  GtkWidget *output;
  GtkWidget *name;
  GtkWidget *name_preview;
  GtkWidget *format;
  GtkWidget *conflict;
  GtkWidget *settings;
  GtkWidget *settings_label;
  GtkWidget *clear;
  GtkWidget *check;
  GtkWidget *start;
  GtkWidget *pause;
  GtkWidget *cancel;
  GtkWidget *retry;
  GtkWidget *copy;
  GtkWidget *progress;
  GtkWidget *note;
  GtkWidget *tree;
  GtkWidget *preview;
};

G_DEFINE_FINAL_TYPE(MsBatchPage, ms_batch_page, GTK_TYPE_BIN)

enum {
  PROP_0,
  PROP_DOCUMENT,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];
static guint open_signal;

/* As in batch-page.ui; the other ids are names of presets. */
#define SETTINGS_OF_PICTURE "picture"

static gboolean
is_running(MsBatchPage *self)
{
  return self->job && ms_batch_job_is_running(self->job);
}

static MsSettings
chosen_settings(MsBatchPage *self)
{
  const char *id = gtk_combo_box_get_active_id(GTK_COMBO_BOX(self->settings));
  MsSettings settings = ms_settings_default();

  if (self->document)
    settings = *ms_document_get_settings(self->document);
  if (id && !g_str_equal(id, SETTINGS_OF_PICTURE)) {
    settings = ms_settings_default();
    ms_presets_apply(self->presets, id, &settings, NULL);
  }
  return settings;
}

static MsBatchSpec *
new_spec(MsBatchPage *self)
{
  MsBatchSpec *spec = g_new0(MsBatchSpec, 1);

  spec->inputs = g_new0(char *, self->inputs->len + 1);
  for (guint i = 0; i < self->inputs->len; i++)
    spec->inputs[i] = g_strdup(self->inputs->pdata[i]);
  spec->recursive = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->recursive));
  spec->output = g_strconcat(gtk_entry_get_text(GTK_ENTRY(self->output)), "/", NULL);
  spec->name_template = g_strdup(gtk_entry_get_text(GTK_ENTRY(self->name)));
  spec->format = (MsImageFormat)MAX(gtk_combo_box_get_active(GTK_COMBO_BOX(self->format)), 0);
  spec->quality = ms_save_options_default().quality;
  spec->on_conflict = (MsConflict)MAX(gtk_combo_box_get_active(GTK_COMBO_BOX(self->conflict)), 0);
  spec->settings = chosen_settings(self);
  spec->device_selector = g_strdup(self->engine ? ms_window_engine_get_device_selector(self->engine) : "auto");
  return spec;
}

/* Shows the name that the first image gets, or why the template is invalid. */
static gboolean
update_name_preview(MsBatchPage *self)
{
  const char *template = gtk_entry_get_text(GTK_ENTRY(self->name));
  MsSettings settings = chosen_settings(self);
  const char *input = self->inputs->len > 0 ? self->inputs->pdata[0] : NULL;
  const char *first = input && ms_naming_extension(input) ? input : "picture.png";
  g_autofree char *stem = ms_naming_stem(first);
  const char *extension = ms_naming_extension(first);
  MsNameParts parts = {.stem = stem,
                       .extension = extension,
                       .sp = settings.params.sp,
                       .sr = settings.params.sr,
                       .device = "device",
                       .seq = 1,
                       .seq_digits = 1};
  g_autoptr(GError) error = NULL;
  gboolean valid = ms_naming_check(template, &error);
  g_autofree char *name = valid ? ms_naming_expand(template, &parts) : NULL;
  g_autofree char *text = name ? g_strdup_printf("Example: %s", name) : g_strdup(error->message);
  GtkStyleContext *style = gtk_widget_get_style_context(self->name);

  gtk_label_set_text(GTK_LABEL(self->name_preview), text);
  if (valid)
    gtk_style_context_remove_class(style, GTK_STYLE_CLASS_ERROR);
  else
    gtk_style_context_add_class(style, GTK_STYLE_CLASS_ERROR);
  return valid;
}

static void
update_buttons(MsBatchPage *self)
{
  gboolean valid = update_name_preview(self), running = is_running(self);
  gboolean ready = valid && *gtk_entry_get_text(GTK_ENTRY(self->output)) && self->inputs->len > 0;
  const MsBatchCounts *counts = &self->rows->counts;

  gtk_widget_set_sensitive(self->check, ready && !running);
  gtk_widget_set_sensitive(self->start, ready && !running && !(self->job && counts->pending == 0));
  gtk_widget_set_visible(self->start, !running);
  gtk_widget_set_visible(self->pause, running);
  gtk_button_set_label(GTK_BUTTON(self->pause), self->paused ? "_Continue" : "_Pause");
  gtk_widget_set_sensitive(self->cancel, running);
  gtk_widget_set_sensitive(self->retry, !running && counts->failed > 0);
  gtk_widget_set_sensitive(self->copy, ready);
  gtk_widget_set_sensitive(self->clear, !running && self->inputs->len > 0);
}

/* Whatever changes the request makes the list out of date, unless its images are being filtered. */
static void
request_changed(MsBatchPage *self)
{
  MsSettings settings = chosen_settings(self);
  g_autofree char *arguments = ms_settings_to_arguments(&settings);

  gtk_label_set_text(GTK_LABEL(self->settings_label), arguments);
  if (!is_running(self)) {
    if (self->job)
      g_signal_handlers_disconnect_by_data(self->job, self);
    g_clear_object(&self->job);
    ms_batch_rows_clear(self->rows);
    gtk_label_set_text(GTK_LABEL(self->note), "");
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), 0);
  }
  update_buttons(self);
}

static void
update_inputs(MsBatchPage *self)
{
  const char *first = self->inputs->len > 0 ? self->inputs->pdata[0] : NULL;
  g_autofree char *name = first ? g_filename_display_name(first) : NULL;
  g_autofree char *text = !first                   ? g_strdup("Drop files or a folder here, or choose them.")
                          : self->inputs->len == 1 ? g_strdup(name)
                                                   : g_strdup_printf("%s and %u more", name, self->inputs->len - 1);

  gtk_label_set_text(GTK_LABEL(self->inputs_label), text);
  gtk_widget_set_tooltip_text(self->inputs_label, text);
  request_changed(self);
}

/* Results go beside the first input unless the user has chosen a folder. */
static void
suggest_output(MsBatchPage *self, const char *path)
{
  g_autofree char *parent = g_path_get_dirname(path);
  g_autofree char *folder = g_build_filename(g_file_test(path, G_FILE_TEST_IS_DIR) ? path : parent, "meanshift", NULL);

  if (!*gtk_entry_get_text(GTK_ENTRY(self->output)))
    gtk_entry_set_text(GTK_ENTRY(self->output), folder);
}

/** ms_batch_page_add: adds a file or folder; nothing is read before a dry run or the start. */
void
ms_batch_page_add(MsBatchPage *self, GFile *file)
{
  char *path = g_file_get_path(file);

  if (!path || is_running(self) ||
      g_ptr_array_find_with_equal_func(self->inputs, path, (GEqualFunc)g_str_equal, NULL)) {
    g_free(path);
    return;
  }
  g_ptr_array_add(self->inputs, path);
  suggest_output(self, path);
  update_inputs(self);
}

/* Running */

static void
show_progress(MsBatchPage *self)
{
  const MsBatchCounts *counts = &self->rows->counts;
  guint finished = counts->done + counts->failed, all = finished + counts->pending;
  double seconds = (g_get_monotonic_time() - self->started_us) * 1e-6;
  double rate = seconds > 0.2 ? (finished - self->finished_before) / seconds : 0;
  g_autofree char *left = rate > 0 ? ms_format_ms(counts->pending / rate * 1e3) : g_strdup("–");
  g_autofree char *running =
    is_running(self) && rate > 0 ? g_strdup_printf(", %.1f images/s, %s left", rate, left) : g_strdup("");
  g_autofree char *skipped = counts->skipped ? g_strdup_printf(", %u skipped", counts->skipped) : g_strdup("");
  g_autofree char *text =
    g_strdup_printf("%u of %u done%s, %u failed%s", counts->done, all, running, counts->failed, skipped);

  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), all > 0 ? (double)finished / all : 0);
  gtk_label_set_text(GTK_LABEL(self->note), text);
}

static void
on_news(MsBatchPage *self, GArray *news)
{
  gboolean many = news->len > 200;

  /* A view that is attached would handle every insertion. */
  if (many)
    gtk_tree_view_set_model(GTK_TREE_VIEW(self->tree), NULL);
  for (guint i = 0; i < news->len; i++)
    ms_batch_rows_take(self->rows, &g_array_index(news, MsBatchNews, i));
  if (many)
    gtk_tree_view_set_model(GTK_TREE_VIEW(self->tree), GTK_TREE_MODEL(self->rows->store));
  show_progress(self);
}

static void
on_ended(MsBatchPage *self, GError *error)
{
  self->paused = FALSE;
  show_progress(self);
  if (error && !g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    gtk_label_set_text(GTK_LABEL(self->note), error->message);
    gtk_widget_set_tooltip_text(self->note, error->message);
    if (self->rows->iters->len == 0)
      g_clear_object(&self->job);
  }
  update_buttons(self);
}

static void
make_job(MsBatchPage *self)
{
  g_autoptr(MsBatchSpec) spec = NULL;

  if (self->job)
    return;
  spec = new_spec(self);
  ms_batch_rows_clear(self->rows);
  self->job = ms_batch_job_new(spec);
  g_signal_connect_object(self->job, "news", G_CALLBACK(on_news), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->job, "ended", G_CALLBACK(on_ended), self, G_CONNECT_SWAPPED);
}

static void
begin(MsBatchPage *self, void (*func)(MsBatchJob *job))
{
  self->started_us = g_get_monotonic_time();
  self->finished_before = self->rows->counts.done;
  make_job(self);
  func(self->job);
  update_buttons(self);
}

static void
on_check_clicked(MsBatchPage *self)
{
  request_changed(self);
  begin(self, ms_batch_job_plan);
}

static void
on_start_clicked(MsBatchPage *self)
{
  begin(self, ms_batch_job_run);
}

static void
on_retry_clicked(MsBatchPage *self)
{
  begin(self, ms_batch_job_retry);
}

static void
on_pause_clicked(MsBatchPage *self)
{
  self->paused = !self->paused;
  ms_batch_job_set_paused(self->job, self->paused);
  update_buttons(self);
}

static void
on_cancel_clicked(MsBatchPage *self)
{
  ms_batch_job_cancel(self->job);
}

static void
on_copy_clicked(MsBatchPage *self)
{
  g_autoptr(MsBatchSpec) spec = new_spec(self);
  g_autofree char *line = ms_batch_spec_command_line(spec);

  gtk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD), line, -1);
  gtk_label_set_text(GTK_LABEL(self->note), "The command line is on the clipboard.");
}

/* Choosing */

static void
on_inputs_chosen(GtkNativeDialog *dialog, int response, MsBatchPage *self)
{
  GSList *files = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog)) : NULL;

  for (GSList *l = files; l; l = l->next)
    ms_batch_page_add(self, l->data);
  g_slist_free_full(files, g_object_unref);
  g_object_unref(dialog);
}

static void
choose_inputs(MsBatchPage *self, GtkFileChooserAction action, const char *title)
{
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(self));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(title, GTK_WINDOW(window), action, "_Add", "_Cancel");

  gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_inputs_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
on_add_files_clicked(MsBatchPage *self)
{
  choose_inputs(self, GTK_FILE_CHOOSER_ACTION_OPEN, "Add Pictures to the Batch");
}

static void
on_add_folder_clicked(MsBatchPage *self)
{
  choose_inputs(self, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, "Add a Folder to the Batch");
}

static void
on_output_chosen(GtkNativeDialog *dialog, int response, MsBatchPage *self)
{
  g_autofree char *path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(dialog));

  if (response == GTK_RESPONSE_ACCEPT && path)
    gtk_entry_set_text(GTK_ENTRY(self->output), path);
  g_object_unref(dialog);
}

static void
on_output_clicked(MsBatchPage *self)
{
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(self));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new("Folder for the Results", GTK_WINDOW(window),
                                                             GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, "_Select", NULL);

  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_output_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
on_clear_clicked(MsBatchPage *self)
{
  g_ptr_array_set_size(self->inputs, 0);
  update_inputs(self);
}

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
on_selection_changed(MsBatchPage *self)
{
  g_autofree char *input = NULL, *output = NULL;
  MsItemStatus status;
  gboolean any = selected_paths(self, &input, &output, &status);

  gtk_widget_set_visible(self->preview, any);
  if (any)
    ms_batch_preview_show(MS_BATCH_PREVIEW(self->preview), input, status == MS_ITEM_DONE ? output : NULL);
}

static void
on_row_activated(MsBatchPage *self)
{
  g_autofree char *input = NULL, *output = NULL;
  MsItemStatus status;

  if (selected_paths(self, &input, &output, &status))
    g_signal_emit(self, open_signal, 0, input);
}

static void
on_dropped(GtkWidget *widget, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info, guint time)
{
  g_auto(GStrv) uris = gtk_selection_data_get_uris(data);

  for (guint i = 0; uris && uris[i]; i++) {
    g_autoptr(GFile) file = g_file_new_for_uri(uris[i]);
    ms_batch_page_add(MS_BATCH_PAGE(widget), file);
  }
}

/* Object */

static void
set_document(MsBatchPage *self, MsDocument *document)
{
  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_set_object(&self->document, document);
  if (document)
    g_signal_connect_object(document, "settings-changed", G_CALLBACK(request_changed), self, G_CONNECT_SWAPPED);
  request_changed(self);
}

static void
ms_batch_page_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_object(value, MS_BATCH_PAGE(object)->document);
}

static void
ms_batch_page_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  set_document(MS_BATCH_PAGE(object), g_value_get_object(value));
}

static void
ms_batch_page_dispose(GObject *object)
{
  MsBatchPage *self = MS_BATCH_PAGE(object);

  if (self->job) {
    g_signal_handlers_disconnect_by_data(self->job, self);
    ms_batch_job_cancel(self->job);
  }
  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_clear_object(&self->job);
  g_clear_object(&self->document);
  g_clear_object(&self->engine);
  g_clear_object(&self->presets);
  G_OBJECT_CLASS(ms_batch_page_parent_class)->dispose(object);
}

static void
ms_batch_page_finalize(GObject *object)
{
  ms_batch_rows_free(MS_BATCH_PAGE(object)->rows);
  g_ptr_array_unref(MS_BATCH_PAGE(object)->inputs);
  G_OBJECT_CLASS(ms_batch_page_parent_class)->finalize(object);
}

#define BIND(name) gtk_widget_class_bind_template_child(widget_class, MsBatchPage, name)
#define BIND_CALLBACK(name) gtk_widget_class_bind_template_callback(widget_class, name)

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/batch/batch-page.ui");
  BIND(inputs_label);
  BIND(recursive);
  BIND(output);
  BIND(name);
  BIND(name_preview);
  BIND(format);
  BIND(conflict);
  BIND(settings);
  BIND(settings_label);
  BIND(clear);
  BIND(check);
  BIND(start);
  BIND(pause);
  BIND(cancel);
  BIND(retry);
  BIND(copy);
  BIND(progress);
  BIND(note);
  BIND(tree);
  BIND(preview);
  BIND_CALLBACK(request_changed);
  BIND_CALLBACK(on_add_files_clicked);
  BIND_CALLBACK(on_add_folder_clicked);
  BIND_CALLBACK(on_clear_clicked);
  BIND_CALLBACK(on_output_clicked);
  BIND_CALLBACK(on_check_clicked);
  BIND_CALLBACK(on_start_clicked);
  BIND_CALLBACK(on_pause_clicked);
  BIND_CALLBACK(on_cancel_clicked);
  BIND_CALLBACK(on_retry_clicked);
  BIND_CALLBACK(on_copy_clicked);
  BIND_CALLBACK(on_selection_changed);
  BIND_CALLBACK(on_row_activated);
}

static void
ms_batch_page_class_init(MsBatchPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->get_property = ms_batch_page_get_property;
  object_class->set_property = ms_batch_page_set_property;
  object_class->dispose = ms_batch_page_dispose;
  object_class->finalize = ms_batch_page_finalize;
  properties[PROP_DOCUMENT] =
    g_param_spec_object("document", NULL, NULL, MS_TYPE_DOCUMENT, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  open_signal =
    g_signal_new("open", MS_TYPE_BATCH_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  g_type_ensure(MS_TYPE_BATCH_PREVIEW);
  bind_template(GTK_WIDGET_CLASS(klass));
}

static void
fill_settings(MsBatchPage *self)
{
  for (int own = 0; own <= 1; own++) {
    g_auto(GStrv) names = ms_presets_list(self->presets, own);
    for (guint i = 0; names[i]; i++) {
      g_autofree char *title = g_strdup_printf("Preset “%s”", names[i]);
      gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(self->settings), names[i], title);
    }
  }
}

static void
ms_batch_page_init(MsBatchPage *self)
{
  self->inputs = g_ptr_array_new_with_free_func(g_free);
  self->rows = ms_batch_rows_new();
  self->presets = ms_presets_new(NULL);
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_tree_view_set_model(GTK_TREE_VIEW(self->tree), GTK_TREE_MODEL(self->rows->store));
  gtk_tree_view_set_tooltip_column(GTK_TREE_VIEW(self->tree), -1);
  fill_settings(self);
  gtk_drag_dest_set(GTK_WIDGET(self), GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_dest_add_uri_targets(GTK_WIDGET(self));
  g_signal_connect(self, "drag-data-received", G_CALLBACK(on_dropped), NULL);
  update_inputs(self);
}

/** ms_batch_page_set_engine: to be called once; batches run on the device that is chosen for @engine. */
void
ms_batch_page_set_engine(MsBatchPage *self, MsWindowEngine *engine)
{
  self->engine = g_object_ref(engine);
}
