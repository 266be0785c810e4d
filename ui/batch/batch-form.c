/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-form.h"

#include <glib/gi18n-lib.h>

#include "ui/common/words.h"
#include "core/batch/naming.h"
#include "core/filter/settings/filter-presets.h"
#include "core/image/codec.h"
#include "ui/common/settings-text.h"
#include "ui/document/document-settings.h"

struct _MsBatchForm {
  GtkBin parent_instance;
  MsWindowEngine *engine;
  MsDocument *document; /* (nullable) */
  MsPresets *presets;
  GPtrArray *inputs; /* paths */
  gboolean name_is_valid;

  GtkWidget *inputs_label;
  GtkWidget *recursive;
  GtkWidget *output;
  GtkWidget *name;
  GtkWidget *name_preview;
  GtkWidget *format;
  GtkWidget *conflict;
  GtkWidget *manifest;
  GtkWidget *settings;
  GtkWidget *settings_label;
  GtkWidget *clear;
};

G_DEFINE_FINAL_TYPE(MsBatchForm, ms_batch_form, GTK_TYPE_BIN)

static guint changed_signal;

/* As in batch-form.ui; the other ids are names of presets. */
#define SETTINGS_OF_PICTURE "picture"

static MsSettings
chosen_settings(MsBatchForm *self)
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

static MsImageFormat
chosen_format(MsBatchForm *self)
{
  const char *id = gtk_combo_box_get_active_id(GTK_COMBO_BOX(self->format));
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; id && i < n; i++)
    if (g_str_equal(codecs[i].name, id))
      return codecs[i].format;
  return MS_IMAGE_FORMAT_AUTO;
}

static const char *
chosen_device(MsBatchForm *self)
{
  return self->engine ? ms_window_engine_get_device_selector(self->engine) : "auto";
}

/** ms_batch_form_new_spec: (transfer full): the batch as the controls describe it now. */
MsBatchSpec *
ms_batch_form_new_spec(MsBatchForm *self)
{
  MsBatchSpec *spec = g_new0(MsBatchSpec, 1);
  const char *output = gtk_entry_get_text(GTK_ENTRY(self->output));

  spec->inputs = g_new0(char *, self->inputs->len + 1);
  for (guint i = 0; i < self->inputs->len; i++)
    spec->inputs[i] = g_strdup(self->inputs->pdata[i]);
  spec->recursive = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->recursive));
  spec->output = g_strconcat(output, "/", NULL);
  if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->manifest)))
    spec->manifest = g_build_filename(output, "manifest.jsonl", NULL);
  spec->name_template = g_strdup(gtk_entry_get_text(GTK_ENTRY(self->name)));
  spec->format = chosen_format(self);
  spec->quality = ms_save_options_default().quality;
  spec->on_conflict = (MsConflict)MAX(gtk_combo_box_get_active(GTK_COMBO_BOX(self->conflict)), 0);
  spec->settings = chosen_settings(self);
  spec->device_selector = g_strdup(chosen_device(self));
  return spec;
}

/** ms_batch_form_is_ready: whether the form describes a batch that can begin. */
gboolean
ms_batch_form_is_ready(MsBatchForm *self)
{
  return self->name_is_valid && self->inputs->len > 0 && *gtk_entry_get_text(GTK_ENTRY(self->output));
}

/* Shows the name that the first image gets, or why the template is invalid. */
static void
update_name_preview(MsBatchForm *self)
{
  const char *template = gtk_entry_get_text(GTK_ENTRY(self->name));
  MsSettings settings = chosen_settings(self);
  const char *input = self->inputs->len > 0 ? self->inputs->pdata[0] : NULL;
  const char *first = input && ms_naming_extension(input) ? input : "picture.png";
  g_autofree char *stem = ms_naming_stem(first);
  const MsCodec *codec = ms_codec_get(chosen_format(self));
  MsNameParts parts = {.stem = stem,
                       .extension = codec ? codec->extensions[0] : ms_naming_extension(first),
                       .sp = settings.params.sp,
                       .sr = settings.params.sr,
                       .device = "device",
                       .seq = 1,
                       .seq_digits = 1};
  g_autoptr(GError) error = NULL;
  gboolean valid = self->name_is_valid = ms_naming_check(template, &error);
  g_autofree char *name = valid ? ms_naming_expand(template, &parts) : NULL;
  g_autofree char *text = name ? g_strdup_printf(_("Example: %s"), name) : ms_words_of_window(error->message);
  GtkStyleContext *style = gtk_widget_get_style_context(self->name);

  gtk_label_set_text(GTK_LABEL(self->name_preview), text);
  if (valid)
    gtk_style_context_remove_class(style, GTK_STYLE_CLASS_ERROR);
  else
    gtk_style_context_add_class(style, GTK_STYLE_CLASS_ERROR);
}

static void
update(MsBatchForm *self)
{
  MsSettings settings = chosen_settings(self);
  g_autofree char *words = ms_settings_text(&settings, NULL, FALSE);
  g_autofree char *text = g_strdup_printf(_("%s\nDevice: %s"), words, chosen_device(self));

  gtk_label_set_text(GTK_LABEL(self->settings_label), text);
  gtk_widget_set_sensitive(self->clear, self->inputs->len > 0);
  update_name_preview(self);
  g_signal_emit(self, changed_signal, 0);
}

static void
update_inputs(MsBatchForm *self)
{
  const char *first = self->inputs->len > 0 ? self->inputs->pdata[0] : NULL;
  g_autofree char *name = first ? g_filename_display_name(first) : NULL;
  g_autofree char *text = !first                   ? g_strdup(_("Drop files or a folder here, or choose them."))
                          : self->inputs->len == 1 ? g_strdup(name)
                                                   : g_strdup_printf(_("%s and %u more"), name, self->inputs->len - 1);

  gtk_label_set_text(GTK_LABEL(self->inputs_label), text);
  gtk_widget_set_tooltip_text(self->inputs_label, text);
  update(self);
}

/* Results go beside the first input unless the user has chosen a folder. */
static void
suggest_output(MsBatchForm *self, const char *path)
{
  g_autofree char *parent = g_path_get_dirname(path);
  g_autofree char *folder = g_build_filename(g_file_test(path, G_FILE_TEST_IS_DIR) ? path : parent, "meanshift", NULL);

  if (!*gtk_entry_get_text(GTK_ENTRY(self->output)))
    gtk_entry_set_text(GTK_ENTRY(self->output), folder);
}

/** ms_batch_form_add: adds a file or folder; nothing is read before a dry run or the start. */
void
ms_batch_form_add(MsBatchForm *self, GFile *file)
{
  char *path = g_file_get_path(file);

  if (!path || !gtk_widget_get_sensitive(GTK_WIDGET(self)) ||
      g_ptr_array_find_with_equal_func(self->inputs, path, (GEqualFunc)g_str_equal, NULL)) {
    g_free(path);
    return;
  }
  g_ptr_array_add(self->inputs, path);
  suggest_output(self, path);
  update_inputs(self);
}

static void
on_clear_clicked(MsBatchForm *self)
{
  g_ptr_array_set_size(self->inputs, 0);
  update_inputs(self);
}

/* Choosing files */

static GtkFileChooserNative *
new_dialog(MsBatchForm *self, GtkFileChooserAction action, const char *title, const char *accept)
{
  GtkWidget *window = gtk_widget_get_toplevel(GTK_WIDGET(self));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(title, GTK_WINDOW(window), action, accept, _("_Cancel"));

  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  return dialog;
}

static void
on_inputs_chosen(GtkNativeDialog *dialog, int response, MsBatchForm *self)
{
  GSList *files = response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog)) : NULL;

  for (GSList *l = files; l; l = l->next)
    ms_batch_form_add(self, l->data);
  g_slist_free_full(files, g_object_unref);
  g_object_unref(dialog);
}

static void
choose_inputs(MsBatchForm *self, GtkFileChooserAction action, const char *title)
{
  GtkFileChooserNative *dialog = new_dialog(self, action, title, _("_Add"));

  gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), TRUE);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_inputs_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
on_add_files_clicked(MsBatchForm *self)
{
  choose_inputs(self, GTK_FILE_CHOOSER_ACTION_OPEN, _("Add Pictures to the Batch"));
}

static void
on_add_folder_clicked(MsBatchForm *self)
{
  choose_inputs(self, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("Add a Folder to the Batch"));
}

static void
on_output_chosen(GtkNativeDialog *dialog, int response, MsBatchForm *self)
{
  g_autofree char *path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(dialog));

  if (response == GTK_RESPONSE_ACCEPT && path)
    gtk_entry_set_text(GTK_ENTRY(self->output), path);
  g_object_unref(dialog);
}

static void
on_output_clicked(MsBatchForm *self)
{
  GtkFileChooserNative *dialog =
    new_dialog(self, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("Folder for the Results"), _("_Select"));

  g_signal_connect_object(dialog, "response", G_CALLBACK(on_output_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* Object */

static void
ms_batch_form_dispose(GObject *object)
{
  MsBatchForm *self = MS_BATCH_FORM(object);

  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_clear_object(&self->document);
  g_clear_object(&self->engine);
  g_clear_object(&self->presets);
  g_clear_pointer(&self->inputs, g_ptr_array_unref);
  G_OBJECT_CLASS(ms_batch_form_parent_class)->dispose(object);
}

#define BIND(name) gtk_widget_class_bind_template_child(widget_class, MsBatchForm, name)
#define BIND_CALLBACK(name) gtk_widget_class_bind_template_callback(widget_class, name)

static void
bind_template(GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/batch/batch-form.ui");
  BIND(inputs_label);
  BIND(recursive);
  BIND(output);
  BIND(name);
  BIND(name_preview);
  BIND(format);
  BIND(conflict);
  BIND(manifest);
  BIND(settings);
  BIND(settings_label);
  BIND(clear);
  BIND_CALLBACK(update);
  BIND_CALLBACK(on_add_files_clicked);
  BIND_CALLBACK(on_add_folder_clicked);
  BIND_CALLBACK(on_clear_clicked);
  BIND_CALLBACK(on_output_clicked);
}

static void
ms_batch_form_class_init(MsBatchFormClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = ms_batch_form_dispose;
  changed_signal = g_signal_new("changed", MS_TYPE_BATCH_FORM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  bind_template(GTK_WIDGET_CLASS(klass));
}

static void
fill_formats(MsBatchForm *self)
{
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++)
    if (ms_codec_is_built(&codecs[i]))
      gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(self->format), codecs[i].name, codecs[i].title);
}

static void
fill_settings(MsBatchForm *self)
{
  for (int own = 0; own <= 1; own++) {
    g_auto(GStrv) names = ms_presets_list(self->presets, own);
    for (guint i = 0; names[i]; i++) {
      g_autofree char *title = g_strdup_printf(_("Preset “%s”"), names[i]);
      gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(self->settings), names[i], title);
    }
  }
}

static void
ms_batch_form_init(MsBatchForm *self)
{
  self->inputs = g_ptr_array_new_with_free_func(g_free);
  self->presets = ms_presets_new(NULL);
  gtk_widget_init_template(GTK_WIDGET(self));
  fill_formats(self);
  fill_settings(self);
  update_inputs(self);
}

/** ms_batch_form_set_engine: sets, once, the engine whose device batches use. */
void
ms_batch_form_set_engine(MsBatchForm *self, MsWindowEngine *engine)
{
  self->engine = g_object_ref(engine);
  g_signal_connect_object(engine, "changed", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
}

/** ms_batch_form_set_document: @document: (nullable): the picture whose settings are offered */
void
ms_batch_form_set_document(MsBatchForm *self, MsDocument *document)
{
  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_set_object(&self->document, document);
  if (document)
    g_signal_connect_object(document, "settings-changed", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  update(self);
}
