/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-form.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/batch/naming.h"
#include "core/filter/settings/filter-presets.h"
#include "core/image/codec.h"
#include "core/text.h"
#include "ui/common/files.h"
#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/document/document.h"

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

static guint changed_signal, settings_changed_signal;

/* As in batch-form.ui; the other ids are names of presets, which have no brackets. */
#define SETTINGS_OF_PICTURE "[picture]"

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

/* (nullable): %NULL for the format of the picture */
static const MsCodec *
chosen_codec(MsBatchForm *self)
{
  const char *id = gtk_combo_box_get_active_id(GTK_COMBO_BOX(self->format));
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; id && i < n; i++)
    if (g_str_equal(codecs[i].name, id))
      return &codecs[i];
  return NULL;
}

static const char *
chosen_device(MsBatchForm *self)
{
  return self->engine ? ms_window_engine_get_device_selector(self->engine) : "auto";
}

/* (transfer full): the options but --manifest and -o */
static GStrv
new_options(MsBatchForm *self)
{
  const char *name = gtk_entry_get_text(GTK_ENTRY(self->name));
  const MsCodec *codec = chosen_codec(self);
  MsSettings chosen = chosen_settings(self);
  g_autofree char *settings = ms_settings_to_arguments(&chosen);
  g_auto(GStrv) words = g_strsplit(settings, " ", -1);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

  g_strv_builder_addv(builder, (const char **)words);
  g_strv_builder_add_many(builder, "--device", chosen_device(self), NULL);
  if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->recursive)))
    g_strv_builder_add(builder, "--recursive");
  if (!g_str_equal(name, MS_NAMING_DEFAULT))
    g_strv_builder_add_many(builder, "--name", name, NULL);
  if (codec)
    g_strv_builder_add_many(builder, "--format", codec->name, NULL);
  g_strv_builder_add_many(builder, "--on-conflict", gtk_combo_box_get_active_id(GTK_COMBO_BOX(self->conflict)), NULL);
  return g_strv_builder_end(builder);
}

/** ms_batch_form_new_spec: (transfer full): the batch as the controls describe it now. */
MsBatchSpec *
ms_batch_form_new_spec(MsBatchForm *self)
{
  MsBatchSpec *spec = g_new0(MsBatchSpec, 1);
  const char *output = gtk_entry_get_text(GTK_ENTRY(self->output));
  g_autoptr(GStrvBuilder) inputs = g_strv_builder_new();

  for (guint i = 0; i < self->inputs->len; i++)
    g_strv_builder_add(inputs, self->inputs->pdata[i]);
  spec->inputs = g_strv_builder_end(inputs);
  spec->recursive = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->recursive));
  spec->output = g_strconcat(output, "/", NULL);
  if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->manifest)))
    spec->manifest = g_build_filename(output, "manifest.jsonl", NULL);
  spec->options = new_options(self);
  return spec;
}

void
ms_batch_spec_free(MsBatchSpec *self)
{
  g_strfreev(self->inputs);
  g_free(self->output);
  g_free(self->manifest);
  g_strfreev(self->options);
  g_free(self);
}

/** ms_batch_spec_equal: whether both stand for the same command. */
gboolean
ms_batch_spec_equal(const MsBatchSpec *self, const MsBatchSpec *other)
{
  g_auto(GStrv) a = ms_batch_spec_to_arguments(self, self->manifest);
  g_auto(GStrv) b = ms_batch_spec_to_arguments(other, other->manifest);

  return g_strv_equal((const char *const *)a, (const char *const *)b);
}

/**
 * ms_batch_spec_to_arguments:
 * @manifest: (nullable): the manifest to write
 *
 * Returns: (transfer full): the options and inputs of the command that writes the same files, byte for byte
 */
GStrv
ms_batch_spec_to_arguments(const MsBatchSpec *self, const char *manifest)
{
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

  g_strv_builder_addv(builder, (const char **)self->options);
  if (manifest)
    g_strv_builder_add_many(builder, "--manifest", manifest, NULL);
  g_strv_builder_addv(builder, (const char **)self->inputs);
  g_strv_builder_add_many(builder, "-o", self->output, NULL);
  return g_strv_builder_end(builder);
}

static gboolean
is_plain(const char *word)
{
  return *word && strspn(word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_=+./,:@") == strlen(word);
}

/** ms_batch_spec_command_line: (transfer full): the command that writes the same files, byte for byte, for a shell */
char *
ms_batch_spec_command_line(const MsBatchSpec *self)
{
  g_autoptr(GString) line = g_string_new("meanshift-lab --headless");
  g_auto(GStrv) words = ms_batch_spec_to_arguments(self, self->manifest);

  for (char **word = words; *word; word++) {
    g_autofree char *quoted = is_plain(*word) ? g_strdup(*word) : g_shell_quote(*word);
    g_string_append_printf(line, " %s", quoted);
  }
  return g_string_free(g_steal_pointer(&line), FALSE);
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
  const MsCodec *codec = chosen_codec(self);
  MsNameParts parts = {.stem = stem,
                       .extension = codec ? codec->extensions[0] : ms_codec_result_extension(first),
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
}

/* A person has changed the form. */
static void
on_changed(MsBatchForm *self)
{
  update(self);
  g_signal_emit(self, changed_signal, 0);
}

/* What the form takes over has changed: the settings of the picture in front, the device, the presets. */
static void
on_settings_changed(MsBatchForm *self)
{
  update(self);
  g_signal_emit(self, settings_changed_signal, 0);
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
  on_changed(self);
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

static void
on_input_chosen(GtkWidget *widget, GFile *file)
{
  ms_batch_form_add(MS_BATCH_FORM(widget), file);
}

static void
on_add_files_clicked(MsBatchForm *self)
{
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_OPEN, _("Add Pictures to the Batch"), _("_Add"), NULL, TRUE};

  ms_files_choose(GTK_WIDGET(self), &question, on_input_chosen);
}

static void
on_add_folder_clicked(MsBatchForm *self)
{
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("Add a Folder to the Batch"), _("_Add"),
                                   NULL, TRUE};

  ms_files_choose(GTK_WIDGET(self), &question, on_input_chosen);
}

static void
on_output_chosen(GtkWidget *widget, GFile *file)
{
  g_autofree char *path = g_file_get_path(file);

  if (path)
    gtk_entry_set_text(GTK_ENTRY(MS_BATCH_FORM(widget)->output), path);
}

static void
on_output_clicked(MsBatchForm *self)
{
  const MsFileQuestion question = {GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("Folder for the Results"), _("_Select"),
                                   NULL, FALSE};

  ms_files_choose(GTK_WIDGET(self), &question, on_output_chosen);
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

#define CHILD(name) MS_TEMPLATE_CHILD(MsBatchForm, name)
#define CALLBACK(name) MS_TEMPLATE_CALLBACK(name)

static void
ms_batch_form_class_init(MsBatchFormClass *klass)
{
  static const MsTemplatePart parts[] = {CHILD(inputs_label),
                                         CHILD(recursive),
                                         CHILD(output),
                                         CHILD(name),
                                         CHILD(name_preview),
                                         CHILD(format),
                                         CHILD(conflict),
                                         CHILD(manifest),
                                         CHILD(settings),
                                         CHILD(settings_label),
                                         CHILD(clear),
                                         CALLBACK(on_changed),
                                         CALLBACK(on_add_files_clicked),
                                         CALLBACK(on_add_folder_clicked),
                                         CALLBACK(on_clear_clicked),
                                         CALLBACK(on_output_clicked)};

  G_OBJECT_CLASS(klass)->dispose = ms_batch_form_dispose;
  changed_signal = g_signal_new("changed", MS_TYPE_BATCH_FORM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  settings_changed_signal =
    g_signal_new("settings-changed", MS_TYPE_BATCH_FORM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  ms_template_bind(klass, "batch/batch-form.ui", parts, G_N_ELEMENTS(parts));
}

static void
fill_formats(MsBatchForm *self)
{
  guint n;
  const MsCodec *codecs = ms_codec_table(&n);

  for (guint i = 0; i < n; i++)
    if (ms_codec_is_written(&codecs[i]))
      gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(self->format), codecs[i].name, codecs[i].title);
}

/* Lists the presets again. The chosen one stays chosen; one that is gone gives way to the picture's settings. */
static void
fill_settings(MsBatchForm *self)
{
  GtkComboBoxText *box = GTK_COMBO_BOX_TEXT(self->settings);
  g_autofree char *chosen = g_strdup(gtk_combo_box_get_active_id(GTK_COMBO_BOX(box)));

  g_signal_handlers_block_by_func(box, on_changed, self);
  for (int i = gtk_tree_model_iter_n_children(gtk_combo_box_get_model(GTK_COMBO_BOX(box)), NULL); i > 1; i--)
    gtk_combo_box_text_remove(box, i - 1);
  for (int own = 0; own <= 1; own++) {
    g_auto(GStrv) names = ms_presets_list(self->presets, own);
    for (guint i = 0; names[i]; i++) {
      g_autofree char *shown = ms_printable(names[i], ""), *title = g_strdup_printf(_("Preset '%s'"), shown);
      gtk_combo_box_text_append(box, names[i], title);
    }
  }
  if (!chosen || !gtk_combo_box_set_active_id(GTK_COMBO_BOX(box), chosen))
    gtk_combo_box_set_active_id(GTK_COMBO_BOX(box), SETTINGS_OF_PICTURE);
  g_signal_handlers_unblock_by_func(box, on_changed, self);
}

static void
on_presets_changed(MsBatchForm *self)
{
  fill_settings(self);
  on_settings_changed(self);
}

static void
ms_batch_form_init(MsBatchForm *self)
{
  self->inputs = g_ptr_array_new_with_free_func(g_free);
  self->presets = ms_presets_shared();
  gtk_widget_init_template(GTK_WIDGET(self));
  fill_formats(self);
  fill_settings(self);
  g_signal_connect_object(self->presets, "changed", G_CALLBACK(on_presets_changed), self, G_CONNECT_SWAPPED);
  update_inputs(self);
}

/** ms_batch_form_set_engine: sets, once, the engine whose device batches use. */
void
ms_batch_form_set_engine(MsBatchForm *self, MsWindowEngine *engine)
{
  self->engine = g_object_ref(engine);
  g_signal_connect_object(engine, "changed", G_CALLBACK(on_settings_changed), self, G_CONNECT_SWAPPED);
}

/** ms_batch_form_set_document: @document: (nullable): the picture whose settings are offered */
void
ms_batch_form_set_document(MsBatchForm *self, MsDocument *document)
{
  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_set_object(&self->document, document);
  if (document)
    g_signal_connect_object(document, "settings-changed", G_CALLBACK(on_settings_changed), self, G_CONNECT_SWAPPED);
  on_settings_changed(self);
}
