/* SPDX-License-Identifier: MIT */
#include "ui/options/options-panel.h"

#include <glib/gi18n-lib.h>

#include "ui/common/format.h"
#include "ui/document/flips.h"
#include "ui/options/option-row.h"

/* The panel */

struct _MsOptionsPanel {
  GtkBox parent_instance;
  MsDocument *document;
  MsPresets *presets;
  GHashTable *rows; /* name of the option -> MsOptionRow */
  GtkWidget *presets_popover;
  GtkWidget *preset_list;
  GtkWidget *preset_name;
  GtkWidget *keep_preset;
  GtkWidget *filter_box;
  GtkWidget *advanced;
  GtkWidget *advanced_box;
  GtkWidget *toggle_heading;
  GtkWidget *toggle_box;
  GtkWidget *hold;
  GtkWidget *measure;
  GtkWidget *cost;
  GtkWidget *note;
  const MsOptionInfo *considered; /* (nullable): the option that @considered_value belongs to */
  char *considered_value;
  guint update_source;
};

G_DEFINE_FINAL_TYPE(MsOptionsPanel, ms_options_panel, GTK_TYPE_BOX)

enum {
  PROP_0,
  PROP_DOCUMENT,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

/* Parameters of the filter that are changed rarely stand in a fold. */
static gboolean
is_advanced(const MsOptionInfo *option)
{
  static const char *const usual[] = {"sp", "sr", "max-iterations", NULL};

  return option->group == MS_OPTION_GROUP_FILTER && !g_strv_contains(usual, option->name);
}

/* Presets */

static void
report(MsOptionsPanel *self, const GError *error)
{
  if (self->document)
    g_signal_emit_by_name(self->document, "problem", error);
}

static void
on_apply_preset(MsOptionsPanel *self, GtkWidget *button)
{
  MsSettings settings;
  g_autoptr(GError) error = NULL;

  if (!self->document)
    return;
  settings = *ms_document_get_settings(self->document);
  gtk_popover_popdown(GTK_POPOVER(self->presets_popover));
  if (ms_presets_apply(self->presets, gtk_widget_get_name(button), &settings, &error))
    ms_document_set_settings(self->document, &settings);
  else
    report(self, error);
}

static void
on_remove_preset(MsOptionsPanel *self, GtkWidget *button)
{
  g_autofree char *name = g_strdup(gtk_widget_get_name(button));
  g_autoptr(GError) error = NULL;

  if (!ms_presets_remove(self->presets, name, &error))
    report(self, error);
}

static void
on_keep_preset(MsOptionsPanel *self)
{
  g_autofree char *name = g_strstrip(g_strdup(gtk_entry_get_text(GTK_ENTRY(self->preset_name))));
  g_autoptr(GError) error = NULL;

  if (!self->document || !gtk_widget_get_sensitive(self->keep_preset))
    return;
  if (ms_presets_add(self->presets, name, ms_document_get_settings(self->document), &error))
    gtk_entry_set_text(GTK_ENTRY(self->preset_name), "");
  else
    report(self, error);
}

static void
on_preset_typed(MsOptionsPanel *self)
{
  g_autofree char *name = g_strstrip(g_strdup(gtk_entry_get_text(GTK_ENTRY(self->preset_name))));

  gtk_widget_set_sensitive(self->keep_preset, self->document && name[0] != '\0');
}

static GtkWidget *
new_remover(MsOptionsPanel *self, const char *name)
{
  GtkWidget *button = gtk_button_new_from_icon_name("edit-delete-symbolic", GTK_ICON_SIZE_BUTTON);
  g_autofree char *text = g_strdup_printf(_("Delete the preset '%s'"), name);

  gtk_widget_set_name(button, name);
  gtk_widget_set_tooltip_text(button, text);
  atk_object_set_name(gtk_widget_get_accessible(button), text);
  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(on_remove_preset), self);
  return button;
}

/* (transfer full): the parameters of the preset, and its toggles that differ from the default */
static char *
describe_preset(MsOptionsPanel *self, const char *name)
{
  g_auto(GStrv) keys = ms_presets_keys(self->presets, name);
  MsSettings settings = ms_settings_default();

  if (!keys || !ms_presets_apply(self->presets, name, &settings, NULL))
    return g_strdup(_("Made for another version of the program"));
  return ms_settings_text(&settings, (const char *const *)keys, FALSE);
}

static GtkWidget *
new_line_of_text(const char *text)
{
  GtkWidget *label = gtk_label_new(text);

  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 44);
  return label;
}

/* The name of the preset above what it sets. */
static GtkWidget *
new_chooser(MsOptionsPanel *self, const char *name)
{
  GtkWidget *button = gtk_button_new(), *lines = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *text = describe_preset(self, name);
  GtkWidget *values = new_line_of_text(text);

  gtk_style_context_add_class(gtk_widget_get_style_context(values), "caption");
  gtk_style_context_add_class(gtk_widget_get_style_context(values), GTK_STYLE_CLASS_DIM_LABEL);
  gtk_container_add(GTK_CONTAINER(lines), new_line_of_text(name));
  gtk_container_add(GTK_CONTAINER(lines), values);
  gtk_container_add(GTK_CONTAINER(button), lines);
  gtk_style_context_add_class(gtk_widget_get_style_context(button), GTK_STYLE_CLASS_FLAT);
  atk_object_set_name(gtk_widget_get_accessible(button), name);
  atk_object_set_description(gtk_widget_get_accessible(button), text);
  return button;
}

static void
add_preset(MsOptionsPanel *self, const char *name, gboolean own)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *button = new_chooser(self, name);

  gtk_widget_set_name(button, name);
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(on_apply_preset), self);
  gtk_box_pack_start(GTK_BOX(line), button, TRUE, TRUE, 0);
  if (own)
    gtk_box_pack_end(GTK_BOX(line), new_remover(self, name), FALSE, FALSE, 0);
  gtk_widget_show_all(line);
  gtk_container_add(GTK_CONTAINER(self->preset_list), line);
}

static void
fill_presets(MsOptionsPanel *self)
{
  gtk_container_foreach(GTK_CONTAINER(self->preset_list), (GtkCallback)(GCallback)gtk_widget_destroy, NULL);
  for (int own = 0; own <= 1; own++) {
    g_auto(GStrv) names = ms_presets_list(self->presets, own);
    for (guint i = 0; names[i]; i++)
      add_preset(self, names[i], own);
  }
}

/* The settings */

/* Shows which values the last run used for `auto`, and why faster kernels were rejected. */
static void
update_note(MsOptionsPanel *self)
{
  MsRun *run = self->document ? ms_document_get_current_run(self->document) : NULL;
  const MsOptionInfo *kernel = ms_option_find("kernel"), *shape = ms_option_find("work-group");
  g_autoptr(GString) text = g_string_new(NULL);

  if (run && ms_run_get_device(run)) {
    g_autofree char *name = ms_option_get_text(kernel, ms_run_get_settings(run));
    g_autofree char *group = ms_option_get_text(shape, ms_run_get_settings(run));
    g_string_append_printf(text, _("The last run used the kernel '%s' with work-groups of %s."), name, group);
    if (ms_run_get_rejected(run))
      g_string_append_printf(text, _(" Passed over: %s"), ms_run_get_rejected(run));
  } else if (run) {
    g_string_append(text, _("The last run used the serial reference, one thread of plain C."));
  }
  gtk_label_set_text(GTK_LABEL(self->note), text->str);
}

/* (transfer full): a sentence on the estimated time of the value that has the pointer or the focus */
static char *
considered_text(MsOptionsPanel *self, const MsFlip *flip)
{
  g_autofree char *time = flip->estimate_ms >= 0 ? ms_format_about(flip->estimate_ms) : NULL;
  g_autofree char *label = ms_format_plain(_(self->considered->label));
  const char *value = self->considered_value;

  if (flip->kernel)
    return time
             ? g_strdup_printf(_("%s %s needs the kernel '%s' and takes about %s."), label, value, flip->kernel, time)
             : g_strdup_printf(_("%s %s needs the kernel '%s', which has not been measured yet."), label, value,
                               flip->kernel);
  return time ? g_strdup_printf(_("%s %s takes about %s."), label, value, time)
              : g_strdup_printf(_("%s %s: no run with its kernel has been measured yet."), label, value);
}

/* (transfer full): a sentence on the estimated time of the present settings */
static char *
present_text(MsOptionsPanel *self)
{
  double ms = ms_document_estimate_ms(self->document, ms_document_get_settings(self->document));
  g_autofree char *time = ms >= 0 ? ms_format_about(ms) : NULL;

  return time ? g_strdup_printf(_("These settings take about %s."), time)
              : g_strdup(_("No run with this kernel has been measured yet."));
}

/* Whether the value that has the pointer or the focus would change the settings. */
static gboolean
is_change(MsOptionsPanel *self)
{
  MsSettings settings = *ms_document_get_settings(self->document);

  return self->considered && ms_option_set_text(self->considered, &settings, self->considered_value, NULL) &&
         !ms_settings_equal(&settings, ms_document_get_settings(self->document));
}

/* Shows the estimated time of the settings, or of the value that has the pointer or the focus. */
static void
update_cost(MsOptionsPanel *self)
{
  g_autofree char *text = NULL;

  if (self->document && is_change(self)) {
    g_auto(MsFlip) flip = ms_document_look_at(self->document, self->considered, self->considered_value);
    text = flip.refusal ? NULL : considered_text(self, &flip);
  }
  if (self->document && !text)
    text = present_text(self);
  gtk_label_set_text(GTK_LABEL(self->cost), text ? text : "");
}

static void
on_considered(MsOptionsPanel *self, const char *value, MsOptionRow *row)
{
  g_free(self->considered_value);
  self->considered_value = g_strdup(value);
  self->considered = value ? ms_option_row_get_option(row) : NULL;
  update_cost(self);
}

/* Prices */

/* Flips are measured for so long at most; on a graphics processor all of them take less than 2 s. */
#define BUDGET_MS 10000

static void
on_measure_clicked(MsOptionsPanel *self)
{
  guint done, all;

  if (!self->document)
    return;
  if (ms_document_is_measuring(self->document, &done, &all))
    ms_document_stop_measuring(self->document);
  else
    ms_document_measure_flips(self->document, BUDGET_MS);
}

/* The button starts the measurement within its budget, says how far it is, and ends it. */
static void
update_measure(MsOptionsPanel *self)
{
  guint done = 0, all = 0;
  const gboolean measures = self->document && ms_document_is_measuring(self->document, &done, &all);
  g_autofree char *text = measures ? g_strdup_printf(_("Stop, %u of %u"), done, all)
                                   : g_strdup_printf(_("_Measure All, ≤ %d s"), BUDGET_MS / 1000);

  gtk_button_set_label(GTK_BUTTON(self->measure), text);
  gtk_widget_set_sensitive(self->measure, self->document &&
                                            ms_window_engine_get_device(ms_document_get_engine(self->document)) &&
                                            (measures || !ms_document_is_busy(self->document)));
}

/* The fold names what in it differs from the default. */
static void
update_advanced(MsOptionsPanel *self)
{
  const MsSettings usual = ms_settings_default(),
                   settings = self->document ? *ms_document_get_settings(self->document) : usual;
  const MsOptionInfo *table = ms_options.rows;
  g_autoptr(GString) text = g_string_new(_("_Advanced"));

  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], &settings), *label = ms_format_plain(_(table[i].label));
    if (is_advanced(&table[i]) && !ms_option_is_default(&table[i], &settings))
      g_string_append_printf(text, " · %s %s", label, value);
  }
  gtk_expander_set_label(GTK_EXPANDER(self->advanced), text->str);
}

static void
update_rows(MsOptionsPanel *self)
{
  GHashTableIter iter;
  gpointer row;

  g_hash_table_iter_init(&iter, self->rows);
  while (g_hash_table_iter_next(&iter, NULL, &row))
    ms_option_row_update(row);
  update_cost(self);
  update_note(self);
  update_measure(self);
  update_advanced(self);
}

static gboolean
on_update(gpointer data)
{
  MsOptionsPanel *self = data;

  self->update_source = 0;
  update_rows(self);
  return G_SOURCE_REMOVE;
}

/* Every row asks the plan about each of its values, so rows are updated once a frame rather than once an event. */
static void
queue_update(MsOptionsPanel *self)
{
  if (self->update_source == 0)
    self->update_source = g_idle_add_full(G_PRIORITY_HIGH_IDLE, on_update, self, NULL);
}

static void
disconnect(MsOptionsPanel *self)
{
  if (!self->document)
    return;
  g_signal_handlers_disconnect_by_data(self->document, self);
  g_signal_handlers_disconnect_by_data(ms_document_get_engine(self->document), self);
  g_clear_object(&self->document);
}

static void
set_document(MsOptionsPanel *self, MsDocument *document)
{
  GHashTableIter iter;
  gpointer row;

  disconnect(self);
  if (document) {
    self->document = g_object_ref(document);
    g_signal_connect_swapped(document, "settings-changed", G_CALLBACK(queue_update), self);
    g_signal_connect_swapped(document, "notify::current-run", G_CALLBACK(queue_update), self);
    g_signal_connect_swapped(document, "notify::busy", G_CALLBACK(update_measure), self);
    g_signal_connect_swapped(document, "flips-changed", G_CALLBACK(queue_update), self);
    g_signal_connect_swapped(ms_document_get_engine(document), "changed", G_CALLBACK(queue_update), self);
    g_signal_connect_swapped(ms_document_get_engine(document), "holders-changed", G_CALLBACK(queue_update), self);
  }
  g_hash_table_iter_init(&iter, self->rows);
  while (g_hash_table_iter_next(&iter, NULL, &row))
    ms_option_row_set_document(row, document);
  gtk_widget_set_sensitive(self->hold, document != NULL);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->hold), document && ms_document_get_holds_kernel(document));
  on_preset_typed(self);
  update_cost(self);
  update_note(self);
  update_measure(self);
  update_advanced(self);
}

static void
ms_options_panel_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_DOCUMENT)
    g_value_set_object(value, MS_OPTIONS_PANEL(object)->document);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void
ms_options_panel_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_DOCUMENT)
    set_document(MS_OPTIONS_PANEL(object), g_value_get_object(value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void
ms_options_panel_dispose(GObject *object)
{
  MsOptionsPanel *self = MS_OPTIONS_PANEL(object);

  disconnect(self);
  g_clear_handle_id(&self->update_source, g_source_remove);
  g_clear_object(&self->presets);
  g_clear_pointer(&self->rows, g_hash_table_unref);
  self->considered = NULL;
  g_clear_pointer(&self->considered_value, g_free);
  G_OBJECT_CLASS(ms_options_panel_parent_class)->dispose(object);
}

static void
ms_options_panel_class_init(MsOptionsPanelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  object_class->get_property = ms_options_panel_get_property;
  object_class->set_property = ms_options_panel_set_property;
  object_class->dispose = ms_options_panel_dispose;
  properties[PROP_DOCUMENT] =
    g_param_spec_object("document", NULL, NULL, MS_TYPE_DOCUMENT, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, properties);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/options/options-panel.ui");
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, presets_popover);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, preset_list);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, preset_name);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, keep_preset);
  gtk_widget_class_bind_template_callback(widget_class, on_keep_preset);
  gtk_widget_class_bind_template_callback(widget_class, on_preset_typed);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, filter_box);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, advanced);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, advanced_box);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, measure);
  gtk_widget_class_bind_template_callback(widget_class, on_measure_clicked);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, toggle_heading);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, toggle_box);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, cost);
  gtk_widget_class_bind_template_child(widget_class, MsOptionsPanel, note);
}

static void
on_hold_toggled(MsOptionsPanel *self, GtkToggleButton *button)
{
  if (self->document)
    ms_document_set_holds_kernel(self->document, gtk_toggle_button_get_active(button));
}

/* Beside the kernel: where a change needs another kernel, like is compared with like. */
static void
add_hold(MsOptionsPanel *self)
{
  self->hold = gtk_check_button_new_with_mnemonic(_("H_old"));
  gtk_widget_set_tooltip_text(self->hold,
                              _("Compares like with like: where a change needs another kernel, the baseline "
                                "is run with that kernel, too."));
  atk_object_set_name(gtk_widget_get_accessible(self->hold), _("Hold kernel"));
  gtk_widget_show(self->hold);
  g_signal_connect_object(self->hold, "toggled", G_CALLBACK(on_hold_toggled), self, G_CONNECT_SWAPPED);
  ms_option_row_add_beside(g_hash_table_lookup(self->rows, "kernel"), self->hold);
}

static void
ms_options_panel_init(MsOptionsPanel *self)
{
  const MsOptionInfo *table = ms_options.rows;

  gtk_widget_init_template(GTK_WIDGET(self));
  self->rows = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    GtkWidget *row = ms_option_row_new(&table[i]);
    GtkWidget *box = is_advanced(&table[i])                     ? self->advanced_box
                     : table[i].group == MS_OPTION_GROUP_FILTER ? self->filter_box
                                                                : self->toggle_box;
    gtk_container_add(GTK_CONTAINER(box), row);
    g_signal_connect_object(row, "considered", G_CALLBACK(on_considered), self, G_CONNECT_SWAPPED);
    g_hash_table_insert(self->rows, (gpointer)table[i].name, row);
  }
  add_hold(self);
  self->presets = ms_presets_new(NULL);
  g_signal_connect_object(self->presets, "changed", G_CALLBACK(fill_presets), self, G_CONNECT_SWAPPED);
  fill_presets(self);
  set_document(self, NULL);
}

/** ms_options_panel_get_row: (transfer none) (nullable): the control of an option, by its command-line name. */
GtkWidget *
ms_options_panel_get_row(MsOptionsPanel *self, const char *name)
{
  return g_hash_table_lookup(self->rows, name);
}

/** ms_options_panel_put_toggles_first: orders the options for the workspace Lab, where toggles are changed most */
void
ms_options_panel_put_toggles_first(MsOptionsPanel *self)
{
  GtkBox *box = GTK_BOX(gtk_widget_get_parent(self->toggle_box));
  int place;

  gtk_container_child_get(GTK_CONTAINER(box), self->filter_box, "position", &place, NULL);
  gtk_box_reorder_child(box, self->toggle_heading, place);
  gtk_box_reorder_child(box, self->toggle_box, place + 1);
}
