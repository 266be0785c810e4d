/* SPDX-License-Identifier: MIT */
#include "ui/options/options-panel.h"

#include <glib/gi18n-lib.h>

#include "core/text.h"
#include "ui/common/format.h"
#include "ui/common/template.h"
#include "ui/document/flips.h"
#include "ui/options/option-row.h"

/* The panel */

struct _MsOptionsPanel {
  MsPanel parent_instance;
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
};

G_DEFINE_FINAL_TYPE(MsOptionsPanel, ms_options_panel, MS_TYPE_PANEL)

/* (transfer none) (nullable) */
static MsDocument *
document_of(MsOptionsPanel *self)
{
  return ms_panel_get_document(MS_PANEL(self));
}

/* Parameters of the filter that are changed rarely stand in a fold. */
static gboolean
is_advanced(const MsOptionInfo *option)
{
  static const char *const usual[] = {"sp", "sr", "max-iterations", NULL};

  return option->group == MS_OPTION_GROUP_FILTER && !g_strv_contains(usual, option->name);
}

/* Presets */

static void
on_apply_preset(MsOptionsPanel *self, GtkWidget *button)
{
  MsSettings settings;
  g_autoptr(GError) error = NULL;

  if (!document_of(self))
    return;
  settings = *ms_document_get_settings(document_of(self));
  gtk_popover_popdown(GTK_POPOVER(self->presets_popover));
  if (ms_presets_apply(self->presets, gtk_widget_get_name(button), &settings, &error))
    ms_document_set_settings(document_of(self), &settings);
  else
    ms_panel_report_problem(MS_PANEL(self), error);
}

static void
on_remove_preset(MsOptionsPanel *self, GtkWidget *button)
{
  g_autofree char *name = g_strdup(gtk_widget_get_name(button));
  g_autoptr(GError) error = NULL;

  if (!ms_presets_remove(self->presets, name, &error))
    ms_panel_report_problem(MS_PANEL(self), error);
}

static void
on_keep_preset(MsOptionsPanel *self)
{
  g_autofree char *name = g_strstrip(g_strdup(gtk_entry_get_text(GTK_ENTRY(self->preset_name))));
  g_autoptr(GError) error = NULL;

  if (!document_of(self) || !gtk_widget_get_sensitive(self->keep_preset))
    return;
  if (ms_presets_add(self->presets, name, ms_document_get_settings(document_of(self)), &error))
    gtk_entry_set_text(GTK_ENTRY(self->preset_name), "");
  else
    ms_panel_report_problem(MS_PANEL(self), error);
}

static void
on_preset_typed(MsOptionsPanel *self)
{
  g_autofree char *name = g_strstrip(g_strdup(gtk_entry_get_text(GTK_ENTRY(self->preset_name))));

  gtk_widget_set_sensitive(self->keep_preset, document_of(self) && name[0] != '\0');
}

static GtkWidget *
new_remover(MsOptionsPanel *self, const char *name)
{
  GtkWidget *button = gtk_button_new_from_icon_name("edit-delete-symbolic", GTK_ICON_SIZE_BUTTON);
  g_autofree char *shown = ms_printable(name, ""), *text = g_strdup_printf(_("Delete the preset '%s'"), shown);

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
  gtk_label_set_line_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 44);
  return label;
}

/* The name of the preset above what it sets. */
static GtkWidget *
new_chooser(MsOptionsPanel *self, const char *name)
{
  GtkWidget *button = gtk_button_new(), *lines = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *text = describe_preset(self, name), *shown = ms_printable(name, "");
  GtkWidget *values = new_line_of_text(text);

  gtk_style_context_add_class(gtk_widget_get_style_context(values), "caption");
  gtk_style_context_add_class(gtk_widget_get_style_context(values), GTK_STYLE_CLASS_DIM_LABEL);
  gtk_container_add(GTK_CONTAINER(lines), new_line_of_text(shown));
  gtk_container_add(GTK_CONTAINER(lines), values);
  gtk_container_add(GTK_CONTAINER(button), lines);
  gtk_style_context_add_class(gtk_widget_get_style_context(button), GTK_STYLE_CLASS_FLAT);
  atk_object_set_name(gtk_widget_get_accessible(button), shown);
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
  MsRun *run = document_of(self) ? ms_document_get_current_run(document_of(self)) : NULL;
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

/**
 * ms_cost_text: (transfer full): a sentence on the estimated time of the present settings, or of the value that has the
 * pointer or the focus and would change them.
 */
char *
ms_cost_text(const MsCost *self)
{
  g_autofree char *time = self->ms >= 0 ? ms_format_about(self->ms) : NULL;

  if (!self->value)
    return time ? g_strdup_printf(_("These settings take about %s."), time)
                : g_strdup(_("No run with this kernel has been measured yet."));
  if (self->kernel)
    return time ? g_strdup_printf(_("%s %s needs the kernel '%s' and takes about %s."), self->label, self->value,
                                  self->kernel, time)
                : g_strdup_printf(_("%s %s needs the kernel '%s', which has not been measured yet."), self->label,
                                  self->value, self->kernel);
  return time ? g_strdup_printf(_("%s %s takes about %s."), self->label, self->value, time)
              : g_strdup_printf(_("%s %s: no run with its kernel has been measured yet."), self->label, self->value);
}

/* (transfer full) (nullable): on the considered value of a row; %NULL where it changes nothing or cannot run. */
static char *
considered_text(MsOptionsPanel *self, MsOptionRow *row)
{
  const MsOptionInfo *option = ms_option_row_get_option(row);
  const char *value = ms_option_row_get_considered(row);
  MsSettings settings = *ms_document_get_settings(document_of(self));

  if (!value || !ms_option_set_text(option, &settings, value, NULL) ||
      ms_settings_equal(&settings, ms_document_get_settings(document_of(self))))
    return NULL;
  g_auto(MsFlip) flip = ms_document_look_at(document_of(self), option, value);
  g_autofree char *label = ms_format_plain(_(option->label));
  return flip.refusal ? NULL : ms_cost_text(&(MsCost){label, value, flip.kernel, flip.estimate_ms});
}

/* Shows the estimated time of the value that has the pointer or the focus now, else of the settings. */
static void
update_cost(MsOptionsPanel *self)
{
  g_autofree char *text = NULL;
  GHashTableIter iter;
  gpointer row;

  g_hash_table_iter_init(&iter, self->rows);
  while (document_of(self) && !text && g_hash_table_iter_next(&iter, NULL, &row))
    text = considered_text(self, row);
  if (document_of(self) && !text)
    text = ms_cost_text(
      &(MsCost){.ms = ms_document_estimate_ms(document_of(self), ms_document_get_settings(document_of(self)))});
  gtk_label_set_text(GTK_LABEL(self->cost), text ? text : "");
}

/* Prices */

/* Flips are measured for so long at most; on a graphics processor all of them take less than 2 s. */
#define BUDGET_MS 10000

static void
on_measure_clicked(MsOptionsPanel *self)
{
  guint done, all;

  if (!document_of(self))
    return;
  if (ms_document_is_measuring(document_of(self), &done, &all))
    ms_document_stop_measuring(document_of(self));
  else
    ms_document_measure_flips(document_of(self), BUDGET_MS);
}

/* The button starts the measurement within its budget, says how far it is, and ends it. */
static void
update_measure(MsOptionsPanel *self)
{
  guint done = 0, all = 0;
  const gboolean measures = document_of(self) && ms_document_is_measuring(document_of(self), &done, &all);
  g_autofree char *text = measures ? g_strdup_printf(_("Stop, %u of %u"), done, all)
                                   : g_strdup_printf(_("_Measure All, ≤ %d s"), BUDGET_MS / 1000);

  gtk_button_set_label(GTK_BUTTON(self->measure), text);
  gtk_widget_set_sensitive(self->measure, document_of(self) &&
                                            ms_window_engine_get_device(ms_document_get_engine(document_of(self))) &&
                                            (measures || !ms_document_is_busy(document_of(self))));
}

/* The fold names what in it differs from the default. */
static void
update_advanced(MsOptionsPanel *self)
{
  const MsSettings usual = ms_settings_default(),
                   settings = document_of(self) ? *ms_document_get_settings(document_of(self)) : usual;
  const MsOptionInfo *table = ms_options.rows;
  g_autoptr(GString) text = g_string_new(_("_Advanced"));

  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], &settings), *label = ms_format_plain(_(table[i].label));
    if (is_advanced(&table[i]) && !ms_option_is_default(&table[i], &settings))
      g_string_append_printf(text, " · %s %s", label, value);
  }
  gtk_expander_set_label(GTK_EXPANDER(self->advanced), text->str);
}

/*
 * Every row asks the plan about each of its values, so rows are updated once a frame rather than once an event, and not
 * while a slider moves, whose frames the picture needs.
 */
static void
ms_options_panel_refresh(MsPanel *panel)
{
  MsOptionsPanel *self = MS_OPTIONS_PANEL(panel);
  GHashTableIter iter;
  gpointer row;

  g_hash_table_iter_init(&iter, self->rows);
  while (!(document_of(self) && ms_document_is_dragging(document_of(self))) &&
         g_hash_table_iter_next(&iter, NULL, &row))
    ms_option_row_update(row);
  update_cost(self);
  update_note(self);
  update_measure(self);
  update_advanced(self);
}

static void
ms_options_panel_attach(MsPanel *panel, MsDocument *document)
{
  ms_panel_connect(panel, document, "notify::busy", G_CALLBACK(update_measure));
  ms_panel_connect(panel, ms_document_get_engine(document), "holders-changed", G_CALLBACK(ms_panel_invalidate));
}

/* A document that is closed is let go of at once, also by a panel that cannot be seen. */
static void
on_document_changed(MsOptionsPanel *self)
{
  MsDocument *document = document_of(self);
  GHashTableIter iter;
  gpointer row;

  g_hash_table_iter_init(&iter, self->rows);
  while (g_hash_table_iter_next(&iter, NULL, &row))
    ms_option_row_set_document(row, document);
  gtk_widget_set_sensitive(self->hold, document != NULL);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->hold), document && ms_document_get_holds_kernel(document));
  on_preset_typed(self);
  ms_options_panel_refresh(MS_PANEL(self));
}

static void
ms_options_panel_dispose(GObject *object)
{
  MsOptionsPanel *self = MS_OPTIONS_PANEL(object);

  g_clear_object(&self->presets);
  g_clear_pointer(&self->rows, g_hash_table_unref);
  G_OBJECT_CLASS(ms_options_panel_parent_class)->dispose(object);
}

static void
ms_options_panel_class_init(MsOptionsPanelClass *klass)
{
  static const char *const follows[] = {"settings-changed", "notify::current-run", "flips-changed", NULL};
  static const MsTemplatePart parts[] = {
    MS_TEMPLATE_CHILD(MsOptionsPanel, presets_popover),
    MS_TEMPLATE_CHILD(MsOptionsPanel, preset_list),
    MS_TEMPLATE_CHILD(MsOptionsPanel, preset_name),
    MS_TEMPLATE_CHILD(MsOptionsPanel, keep_preset),
    MS_TEMPLATE_CHILD(MsOptionsPanel, filter_box),
    MS_TEMPLATE_CHILD(MsOptionsPanel, advanced),
    MS_TEMPLATE_CHILD(MsOptionsPanel, advanced_box),
    MS_TEMPLATE_CHILD(MsOptionsPanel, measure),
    MS_TEMPLATE_CHILD(MsOptionsPanel, toggle_heading),
    MS_TEMPLATE_CHILD(MsOptionsPanel, toggle_box),
    MS_TEMPLATE_CHILD(MsOptionsPanel, cost),
    MS_TEMPLATE_CHILD(MsOptionsPanel, note),
    MS_TEMPLATE_CALLBACK(on_keep_preset),
    MS_TEMPLATE_CALLBACK(on_preset_typed),
    MS_TEMPLATE_CALLBACK(on_measure_clicked),
  };

  G_OBJECT_CLASS(klass)->dispose = ms_options_panel_dispose;
  MS_PANEL_CLASS(klass)->follows = follows;
  MS_PANEL_CLASS(klass)->attach = ms_options_panel_attach;
  MS_PANEL_CLASS(klass)->refresh = ms_options_panel_refresh;
  ms_template_bind(klass, "options/options-panel.ui", parts, G_N_ELEMENTS(parts));
}

static void
on_hold_toggled(MsOptionsPanel *self, GtkToggleButton *button)
{
  if (document_of(self))
    ms_document_set_holds_kernel(document_of(self), gtk_toggle_button_get_active(button));
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
    g_signal_connect_object(row, "considered", G_CALLBACK(update_cost), self, G_CONNECT_SWAPPED);
    g_hash_table_insert(self->rows, (gpointer)table[i].name, row);
  }
  add_hold(self);
  self->presets = ms_presets_shared();
  g_signal_connect_object(self->presets, "changed", G_CALLBACK(fill_presets), self, G_CONNECT_SWAPPED);
  fill_presets(self);
  g_signal_connect(self, "notify::document", G_CALLBACK(on_document_changed), NULL);
  on_document_changed(self);
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
