/* SPDX-License-Identifier: MIT */
#include "ui/panels/compare/toggle-picker.h"

#include <glib/gi18n-lib.h>

#include "core/option/option-help.h"
#include "ui/common/format.h"
#include "ui/document/document-settings.h"
#include "ui/panels/compare/compare-plan.h"

/* One check button. */
typedef struct {
  const MsOptionInfo *option;
  const char *value;
  GtkWidget *button;
} Value;

struct _MsTogglePicker {
  GtkGrid parent_instance;
  GArray *values; /* Value; the values of one option are adjacent */
};

G_DEFINE_FINAL_TYPE(MsTogglePicker, ms_toggle_picker, GTK_TYPE_GRID)

static guint changed_signal;

static const char *const common_shapes[] = {"auto", "8x8", "16x8", "16x16", "32x4", "32x8", "64x4", "128x1", NULL};

static void
ms_toggle_picker_finalize(GObject *object)
{
  g_array_unref(MS_TOGGLE_PICKER(object)->values);
  G_OBJECT_CLASS(ms_toggle_picker_parent_class)->finalize(object);
}

static void
ms_toggle_picker_class_init(MsTogglePickerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_toggle_picker_finalize;
  changed_signal =
    g_signal_new("changed", MS_TYPE_TOGGLE_PICKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
on_toggled(MsTogglePicker *self)
{
  g_signal_emit(self, changed_signal, 0);
}

static GtkWidget *
add_value(MsTogglePicker *self, GtkFlowBox *box, const MsOptionInfo *option, const char *value)
{
  GtkWidget *button = gtk_check_button_new_with_label(value);
  Value row = {option, value, button};
  g_autofree char *label = ms_format_plain(_(option->label));
  g_autofree char *name = g_strdup_printf("%s %s", label, value);

  atk_object_set_name(gtk_widget_get_accessible(button), name);
  g_signal_connect_object(button, "toggled", G_CALLBACK(on_toggled), self, G_CONNECT_SWAPPED);
  gtk_container_add(GTK_CONTAINER(box), button);
  gtk_widget_set_can_focus(gtk_widget_get_parent(button), FALSE); /* the button itself takes the focus */
  g_array_append_val(self->values, row);
  return button;
}

static GtkWidget *
new_value_box(void)
{
  GtkWidget *box = gtk_flow_box_new();

  gtk_flow_box_set_selection_mode(GTK_FLOW_BOX(box), GTK_SELECTION_NONE);
  gtk_flow_box_set_max_children_per_line(GTK_FLOW_BOX(box), 8);
  gtk_flow_box_set_column_spacing(GTK_FLOW_BOX(box), 6);
  gtk_widget_set_hexpand(box, TRUE);
  return box;
}

static void
add_option(MsTogglePicker *self, const MsOptionInfo *option, int row)
{
  const char *const *values = option->kind == MS_OPTION_SHAPE ? common_shapes : option->values;
  g_autofree char *text = ms_format_plain(_(option->label));
  GtkWidget *label = gtk_label_new(text);
  GtkWidget *box = new_value_box();

  gtk_label_set_xalign(GTK_LABEL(label), 1);
  gtk_widget_set_valign(label, GTK_ALIGN_START);
  gtk_widget_set_margin_top(label, 4);
  gtk_style_context_add_class(gtk_widget_get_style_context(label), "dim-label");
  gtk_widget_set_tooltip_text(label, ms_option_tooltip(option));
  for (guint i = 0; values[i]; i++)
    add_value(self, GTK_FLOW_BOX(box), option, values[i]);
  gtk_grid_attach(GTK_GRID(self), label, 0, row, 1, 1);
  gtk_grid_attach(GTK_GRID(self), box, 1, row, 1, 1);
}

static void
ms_toggle_picker_init(MsTogglePicker *self)
{
  const MsOptionInfo *table = ms_options.rows;
  int row = 0;

  self->values = g_array_new(FALSE, FALSE, sizeof(Value));
  gtk_grid_set_row_spacing(GTK_GRID(self), 2);
  gtk_grid_set_column_spacing(GTK_GRID(self), 12);
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (table[i].group == MS_OPTION_GROUP_TOGGLE && (table[i].values || table[i].kind == MS_OPTION_SHAPE))
      add_option(self, &table[i], row++);
  gtk_widget_show_all(GTK_WIDGET(self));
}

/* A value that is unavailable now may work together with another toggle, so it stays selectable and has a tooltip. */
static void
update_value(MsTogglePicker *self, const Value *value, MsDocument *document)
{
  g_autofree char *now = document ? ms_option_get_text(value->option, ms_document_get_settings(document)) : NULL;
  g_autofree char *refusal = document ? ms_document_option_refusal(document, value->option, value->value) : NULL;
  GtkWidget *label = gtk_bin_get_child(GTK_BIN(value->button));
  g_autofree char *text = g_strdup_printf("%s%s", value->value, g_strcmp0(now, value->value) == 0 ? " (now)" : "");
  g_autofree char *tip = refusal ? g_strdup_printf(_("With the current settings: %s"), refusal) : NULL;
  GtkStyleContext *style = gtk_widget_get_style_context(label);

  gtk_label_set_text(GTK_LABEL(label), text);
  gtk_widget_set_tooltip_text(value->button, tip);
  if (refusal)
    gtk_style_context_add_class(style, "dim-label");
  else
    gtk_style_context_remove_class(style, "dim-label");
}

/** ms_toggle_picker_update: marks the current values and those unavailable in @document (nullable). */
void
ms_toggle_picker_update(MsTogglePicker *self, MsDocument *document)
{
  for (guint i = 0; i < self->values->len; i++)
    update_value(self, &g_array_index(self->values, Value, i), document);
}

static GPtrArray *
checked_values(MsTogglePicker *self, const MsOptionInfo *option)
{
  GPtrArray *checked = g_ptr_array_new();

  for (guint i = 0; i < self->values->len; i++) {
    const Value *value = &g_array_index(self->values, Value, i);
    if (value->option == option && gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(value->button)))
      g_ptr_array_add(checked, (gpointer)value->value);
  }
  g_ptr_array_add(checked, NULL);
  return checked;
}

/** ms_toggle_picker_get_choices: (transfer full) (element-type MsCompareChoice): the toggles with a checked value */
GArray *
ms_toggle_picker_get_choices(MsTogglePicker *self)
{
  GArray *choices = ms_compare_choices_new();
  const MsOptionInfo *last = NULL;

  for (guint i = 0; i < self->values->len; i++) {
    const MsOptionInfo *option = g_array_index(self->values, Value, i).option;
    if (option == last)
      continue;
    last = option;
    g_autoptr(GPtrArray) checked = checked_values(self, option);
    if (checked->len > 1)
      ms_compare_choices_add(choices, option, (const char *const *)checked->pdata);
  }
  return choices;
}
