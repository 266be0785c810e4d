/* SPDX-License-Identifier: MIT */
#include "ui/window/window-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/image/codec.h"
#include "core/image/common/losses.h"
#include "core/image/image-save.h"
#include "ui/common/files.h"
#include "ui/image-view/picture.h"

/*
 * A picture that is being saved, or that a dialog asks about. What belongs to the document stands here, because another
 * tab may be in front when the answer comes.
 */
typedef struct {
  MsDocument *document;
  MsImage *image;
  GFile *file; /* (nullable): %NULL until it is chosen */
  MsImageFormat format;
  MsSaveOptions options;
  MsSaveNotes notes;
  gboolean is_running;
} SaveJob;

static void
save_job_free(gpointer data)
{
  SaveJob *job = data;

  g_object_unref(job->document);
  g_object_unref(job->image);
  g_clear_object(&job->file);
  g_free(job);
}

static SaveJob *
new_job(MsDocument *document)
{
  SaveJob *job = g_new0(SaveJob, 1);

  job->document = g_object_ref(document);
  job->image = g_object_ref(ms_document_get_picture_b(document));
  job->options = ms_save_options_default();
  return job;
}

static void
save_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  SaveJob *job = data;
  g_autoptr(GError) error = NULL;

  if (ms_image_save(job->image, g_file_peek_path(job->file), &job->options, &job->notes, cancellable, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, g_steal_pointer(&error));
}

/* What Ctrl+S does with a document that was saved before. */
typedef struct {
  GFile *file;
  MsImageFormat format;
  int quality;
} Saved;

#define SAVED_KEY "ms-saved"

static void
saved_free(gpointer data)
{
  Saved *saved = data;

  g_object_unref(saved->file);
  g_free(saved);
}

static void
remember_saved(const SaveJob *job)
{
  Saved *saved = g_new(Saved, 1);

  *saved = (Saved){g_object_ref(job->file), job->format, job->options.quality};
  g_object_set_data_full(G_OBJECT(job->document), SAVED_KEY, saved, saved_free);
}

/** ms_window_toast_saved: says under which name a file was saved; @losses: (nullable): a sentence on what it lacks. */
void
ms_window_toast_saved(MsWindow *self, const char *path, const char *losses)
{
  g_autofree char *name = g_filename_display_basename(path);
  g_autoptr(GString) text = g_string_new(NULL);

  g_string_append_printf(text, _("Saved as %s."), name);
  if (losses && losses[0])
    g_string_append_printf(text, " %s", losses);
  ms_window_toast(self, text->str, MS_TOAST_FOLDER, path);
}

static void
report_saved(MsWindow *self, const SaveJob *job)
{
  g_autofree char *name = g_filename_display_basename(g_file_peek_path(job->file));
  g_autofree char *losses = ms_losses_describe(NULL, &job->notes, name, MS_LANGUAGE_USER);

  ms_window_toast_saved(self, g_file_peek_path(job->file), losses);
}

/* Runs the saves that wait for none of the same file: the last one that was asked for decides what stands there. */
static void
run_saves(MsWindow *self)
{
  g_autoptr(GHashTable) taken = g_hash_table_new((GHashFunc)g_file_hash, (GEqualFunc)g_file_equal);

  for (GList *l = self->saves.head; l; l = l->next) {
    SaveJob *job = g_task_get_task_data(l->data);
    if (g_hash_table_add(taken, job->file) && !job->is_running) {
      job->is_running = TRUE;
      g_task_run_in_thread(l->data, save_in_thread);
    }
  }
}

static void
on_saved(GObject *source, GAsyncResult *result, gpointer data)
{
  MsWindow *self = MS_WINDOW(source);
  SaveJob *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;

  if (!self->notebook)
    return;
  if (g_task_propagate_boolean(G_TASK(result), &error)) {
    remember_saved(job);
    report_saved(self, job);
  } else {
    g_clear_pointer(&self->closing_question, gtk_widget_destroy);
    ms_window_report_error(self, MS_TOPIC_TASK, NULL, error);
  }
  ms_files_end_saving(self->saving, job->file);
  if (g_queue_remove(&self->saves, result))
    g_object_unref(result);
  run_saves(self);
}

/* @job: (transfer full) */
static void
save(MsWindow *self, SaveJob *job)
{
  GTask *task = g_task_new(self, self->closing, on_saved, NULL);

  job->options.format = job->format;
  job->options.compression = g_settings_get_int(self->settings, "png-compression");
  job->options.overwrite = TRUE;
  job->options.threads = g_get_num_processors();
  g_task_set_task_data(task, job, save_job_free);
  g_queue_push_tail(&self->saves, task);
  g_list_store_append(self->saving, job->file);
  run_saves(self);
}

/** ms_window_drop_saves: when the window is gone: those that run are cancelled, the others do not begin. */
void
ms_window_drop_saves(MsWindow *self)
{
  GTask *task;

  while ((task = g_queue_pop_head(&self->saves))) {
    if (!((SaveJob *)g_task_get_task_data(task))->is_running)
      g_task_return_error_if_cancelled(task);
    g_object_unref(task);
  }
}

/* The preference is about JPEG; a format that is lossless by default stays lossless. */
static int
quality_for(MsWindow *self, const SaveJob *job)
{
  const MsImageFormat format = job->format;
  const MsCodec *codec =
    ms_codec_get(format != MS_IMAGE_FORMAT_AUTO ? format : ms_codec_for_output(g_file_peek_path(job->file)));

  return codec && codec->quality > 0 ? g_settings_get_int(self->settings, "jpeg-quality") : job->options.quality;
}

/* Closing */

/* (transfer none): a question with a button that cancels; others are to be added. */
static GtkDialog *
new_question(MsWindow *self, GtkMessageType type, const char *text, const char *detail)
{
  GtkWidget *dialog = gtk_message_dialog_new(GTK_WINDOW(self), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, type,
                                             GTK_BUTTONS_NONE, "%s", text);

  gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", detail);
  gtk_dialog_add_button(GTK_DIALOG(dialog), _("_Cancel"), GTK_RESPONSE_CANCEL);
  return GTK_DIALOG(dialog);
}

static void
on_closing_answered(GtkWidget *question, int response, MsWindow *self)
{
  self->closing_question = NULL;
  gtk_widget_destroy(question);
  if (response == GTK_RESPONSE_ACCEPT)
    gtk_widget_destroy(GTK_WIDGET(self));
}

/** ms_window_closes_later: whether files are being written for the window: it says so, and closes when they are. */
gboolean
ms_window_closes_later(MsWindow *self)
{
  g_autoptr(GFile) file = g_list_model_get_item(G_LIST_MODEL(self->saving), 0);

  if (!file)
    return FALSE;
  if (!self->closing_question) {
    g_autofree char *name = g_filename_display_basename(g_file_peek_path(file));
    g_autofree char *text = g_strdup_printf(_("%s is being saved."), name);
    GtkDialog *question = new_question(self, GTK_MESSAGE_INFO, text, _("The window closes when that is done."));
    gtk_dialog_add_button(question, _("Close _without Saving"), GTK_RESPONSE_ACCEPT);
    gtk_dialog_set_default_response(question, GTK_RESPONSE_CANCEL);
    g_signal_connect_object(question, "response", G_CALLBACK(on_closing_answered), self, 0);
    self->closing_question = GTK_WIDGET(question);
  }
  gtk_window_present(GTK_WINDOW(self->closing_question));
  return TRUE;
}

/** ms_window_on_saving_changed: closes the window if that waits for the last file, unless saving has failed. */
void
ms_window_on_saving_changed(MsWindow *self)
{
  if (!self->notebook || !self->closing_question || g_list_model_get_n_items(G_LIST_MODEL(self->saving)) > 0)
    return;
  g_clear_pointer(&self->closing_question, gtk_widget_destroy);
  gtk_window_close(GTK_WINDOW(self));
}

/* Asking */

static char *
stem_of(const char *title)
{
  const char *dot = strrchr(title, '.');

  return dot && dot != title ? g_strndup(title, dot - title) : g_strdup(title);
}

static char *
suggested_name(MsDocument *document)
{
  const char *title = ms_document_get_title(document);
  const MsCodec *codec = ms_codec_for_result(title);
  g_autofree char *stem = stem_of(title);

  return g_strdup_printf("%s-meanshift.%s", stem, codec->extensions[0]);
}

static MsImageFormat
chosen_format(GtkFileChooser *chooser)
{
  const char *choice = gtk_file_chooser_get_choice(chooser, "format");
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++)
    if (g_strcmp0(choice, codecs[i].name) == 0)
      return codecs[i].format;
  return MS_IMAGE_FORMAT_AUTO;
}

static void
add_format_choices(GtkFileChooser *chooser)
{
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);
  g_autoptr(GPtrArray) names = g_ptr_array_new(), labels = g_ptr_array_new();

  g_ptr_array_add(names, "auto");
  g_ptr_array_add(labels, _("From the file name"));
  for (guint i = 0; i < n; i++) {
    if (!ms_codec_is_written(&codecs[i]))
      continue;
    g_ptr_array_add(names, (gpointer)codecs[i].name);
    g_ptr_array_add(labels, (gpointer)codecs[i].title);
  }
  g_ptr_array_add(names, NULL);
  g_ptr_array_add(labels, NULL);
  gtk_file_chooser_add_choice(chooser, "format", _("Format"), (const char **)names->pdata,
                              (const char **)labels->pdata);
  gtk_file_chooser_set_choice(chooser, "format", "auto");
}

static void
add_quality_choices(GtkFileChooser *chooser, int quality)
{
  const char *values[] = {"75", "85", "90", "95", "100", NULL};
  const char *labels[] = {_("75, small"), "85", _("90, full colour"), _("95, fine"), _("100, largest"), NULL};
  g_autofree char *preferred = g_strdup_printf("%d", quality);
  gboolean known = g_strv_contains(values, preferred);

  gtk_file_chooser_add_choice(chooser, "quality", _("JPEG quality"), values, labels);
  gtk_file_chooser_set_choice(chooser, "quality", known ? preferred : "95");
}

static int
ask(GtkDialog *question, int default_response)
{
  gtk_dialog_set_default_response(question, default_response);
  const int response = gtk_dialog_run(question);
  gtk_widget_destroy(GTK_WIDGET(question));
  return response;
}

/* The file chooser has asked about replacing a file; replacing the original needs another confirmation. */
static gboolean
may_replace(MsWindow *self, const SaveJob *job)
{
  GFile *original = ms_document_get_file(job->document);

  if (!original || !g_file_equal(original, job->file))
    return TRUE;
  GtkDialog *question = new_question(self, GTK_MESSAGE_WARNING, _("Replace the original picture?"),
                                     _("The original file will be overwritten."));
  gtk_dialog_add_button(question, _("_Replace"), GTK_RESPONSE_ACCEPT);
  return ask(question, GTK_RESPONSE_CANCEL) == GTK_RESPONSE_ACCEPT;
}

#define JOB_KEY "ms-job"

static void
on_save_response(GtkNativeDialog *dialog, int response, MsWindow *self)
{
  GtkFileChooser *chooser = GTK_FILE_CHOOSER(dialog);
  g_autofree char *path = gtk_file_chooser_get_filename(chooser);
  const char *quality = gtk_file_chooser_get_choice(chooser, "quality");
  SaveJob *job = g_object_steal_data(G_OBJECT(dialog), JOB_KEY);

  job->file = path ? g_file_new_for_path(path) : NULL;
  job->format = chosen_format(chooser);
  if (response == GTK_RESPONSE_ACCEPT && path && may_replace(self, job)) {
    if (quality)
      g_settings_set_int(self->settings, "jpeg-quality", (int)g_ascii_strtoll(quality, NULL, 10));
    job->options.quality = quality_for(self, job);
    save(self, job);
  } else {
    save_job_free(job);
  }
  g_object_unref(dialog);
}

static void
suggest_place(GtkFileChooser *chooser, MsDocument *document)
{
  GFile *original = ms_document_get_file(document);
  g_autoptr(GFile) folder = original ? g_file_get_parent(original) : NULL;
  g_autofree char *name = suggested_name(document);

  if (folder && g_file_is_native(folder))
    gtk_file_chooser_set_current_folder_file(chooser, folder, NULL);
  gtk_file_chooser_set_current_name(chooser, name);
}

/* A picture that does not belong to the current settings is not saved without a question. */
static gboolean
may_save_stale(MsWindow *self, MsDocument *document)
{
  if (ms_document_get_run_b(document) || !ms_document_is_stale(document))
    return TRUE;
  GtkDialog *question =
    new_question(self, GTK_MESSAGE_QUESTION, _("The picture shown was filtered with other settings."),
                 _("Filter it with the current settings first, or save the picture as it is shown."));
  gtk_dialog_add_buttons(question, _("_Save as Shown"), GTK_RESPONSE_ACCEPT, _("_Filter First"), GTK_RESPONSE_APPLY,
                         NULL);
  const int response = ask(question, GTK_RESPONSE_APPLY);
  if (response == GTK_RESPONSE_APPLY)
    ms_document_request_filter(document);
  return response == GTK_RESPONSE_ACCEPT;
}

/* (transfer full) (nullable): the picture that is on the screen now; %NULL if it is not to be saved */
static SaveJob *
new_job_of_front(MsWindow *self)
{
  g_autoptr(MsDocument) document = g_object_ref(self->document);
  SaveJob *job = new_job(document);

  if (may_save_stale(self, document))
    return job;
  save_job_free(job);
  return NULL;
}

/* @job: (transfer full) */
static void
ask_where_to_save(MsWindow *self, SaveJob *job)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(_("Save the Filtered Picture"), GTK_WINDOW(self),
                                                             GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  GtkFileChooser *chooser = GTK_FILE_CHOOSER(dialog);

  gtk_file_chooser_set_do_overwrite_confirmation(chooser, TRUE);
  suggest_place(chooser, job->document);
  add_format_choices(chooser);
  add_quality_choices(chooser, g_settings_get_int(self->settings, "jpeg-quality"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_object_set_data_full(G_OBJECT(dialog), JOB_KEY, job, save_job_free);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_save_response), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/** ms_window_save_as: asks for a name and format, and saves the filtered picture. */
void
ms_window_save_as(MsWindow *self)
{
  SaveJob *job = new_job_of_front(self);

  if (job)
    ask_where_to_save(self, job);
}

/** ms_window_save: saves under the same name and in the same format as before; asks the first time. */
void
ms_window_save(MsWindow *self)
{
  SaveJob *job = new_job_of_front(self);
  const Saved *saved = job ? g_object_get_data(G_OBJECT(job->document), SAVED_KEY) : NULL;

  if (job && !saved)
    ask_where_to_save(self, job);
  if (!saved)
    return;
  job->file = g_object_ref(saved->file);
  job->format = saved->format;
  job->options.quality = saved->quality;
  save(self, job);
}

/** ms_window_copy_picture: copies the filtered picture, in sRGB, to the clipboard. */
void
ms_window_copy_picture(MsWindow *self)
{
  MsImage *image = ms_document_get_picture_b(self->document);
  g_autoptr(GdkPixbuf) pixbuf = image ? ms_pixbuf_for_others(image) : NULL;

  if (pixbuf)
    gtk_clipboard_set_image(gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD), pixbuf);
}

static char *
device_argument(MsWindow *self)
{
  MsDevice *device = ms_window_engine_get_device(self->engine);

  if (ms_window_engine_is_reference(self->engine))
    return g_strdup(MS_ENGINE_REFERENCE);
  return g_strdup(device ? device->address : ms_window_engine_get_device_selector(self->engine));
}

/** ms_window_get_command_line: (transfer full): a command that computes the picture shown without a window. */
char *
ms_window_get_command_line(MsWindow *self)
{
  GFile *file = ms_document_get_file(self->document);
  g_autofree char *path = file ? g_file_get_path(file) : NULL;
  g_autofree char *input = g_shell_quote(path ? path : ms_document_get_title(self->document));
  g_autofree char *name = suggested_name(self->document);
  g_autofree char *output = g_shell_quote(name);
  g_autofree char *device = device_argument(self);
  g_autofree char *quoted_device = g_shell_quote(device);
  MsRun *run = ms_document_get_shown_run(self->document);
  const MsSettings *settings = run ? ms_run_get_requested(run) : ms_document_get_settings(self->document);
  g_autofree char *arguments = ms_settings_to_arguments(settings);

  return g_strdup_printf("meanshift-lab --headless %s --device %s %s -o %s", arguments, quoted_device, input, output);
}

void
ms_window_copy_command(MsWindow *self)
{
  g_autofree char *line = ms_window_get_command_line(self);

  gtk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self), GDK_SELECTION_CLIPBOARD), line, -1);
  ms_window_toast(self, _("The command line is on the clipboard."), MS_TOAST_LOG, line);
}

static void
on_draw_page(GtkPrintOperation *operation, GtkPrintContext *context, int page, gpointer image)
{
  g_autoptr(GdkPixbuf) pixbuf = ms_pixbuf_for_others(image);
  cairo_t *cr = gtk_print_context_get_cairo_context(context);
  double width = gtk_print_context_get_width(context), height = gtk_print_context_get_height(context);
  double scale = MIN(width / gdk_pixbuf_get_width(pixbuf), height / gdk_pixbuf_get_height(pixbuf));

  cairo_scale(cr, scale, scale);
  gdk_cairo_set_source_pixbuf(cr, pixbuf, 0, 0);
  cairo_paint(cr);
}

/** ms_window_new_print_operation: (transfer full): prints the filtered picture, in sRGB, as large as the page. */
GtkPrintOperation *
ms_window_new_print_operation(MsWindow *self)
{
  GtkPrintOperation *operation = gtk_print_operation_new();

  gtk_print_operation_set_n_pages(operation, 1);
  gtk_print_operation_set_job_name(operation, ms_document_get_title(self->document));
  g_signal_connect_data(operation, "draw-page", G_CALLBACK(on_draw_page),
                        g_object_ref(ms_document_get_picture_b(self->document)),
                        (GClosureNotify)(void (*)(void))g_object_unref, 0);
  return operation;
}

/* A printer may fail long after the dialog was closed. */
static void
on_printed(MsWindow *self, GtkPrintOperationResult result, GtkPrintOperation *operation)
{
  g_autoptr(GError) error = NULL;

  gtk_print_operation_get_error(operation, &error);
  if (result == GTK_PRINT_OPERATION_RESULT_ERROR && error && self->notebook)
    ms_window_report_error(self, MS_TOPIC_TASK, NULL, error);
}

/** ms_window_print: asks for a printer and prints the filtered picture. */
void
ms_window_print(MsWindow *self)
{
  g_autoptr(GtkPrintOperation) operation = ms_window_new_print_operation(self);

  gtk_print_operation_set_allow_async(operation, TRUE);
  g_signal_connect_object(operation, "done", G_CALLBACK(on_printed), self, G_CONNECT_SWAPPED);
  gtk_print_operation_run(operation, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, GTK_WINDOW(self), NULL);
}
