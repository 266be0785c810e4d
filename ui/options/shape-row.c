/* SPDX-License-Identifier: MIT */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/option/option.h"
#include "ui/document/document-settings.h"
#include "ui/options/option-row.h"
#include "ui/options/radio.h"

/* Shapes in the menu: those of the published study at 128 work-items, squares, and rows. */
static const char *const common_shapes[] = {"auto", "8x8",  "16x8",  "16x16", "32x4",  "32x8",
                                            "64x1", "64x2", "128x1", "1x128", "256x1", NULL};

struct _MsShapeRow {
  MsOptionRow parent_instance;
  GtkWidget *opener;
  GtkWidget *entry;
  GtkWidget *limit;
  GPtrArray *shapes; /* GtkRadioButton, in the order of common_shapes; the last one is for all other shapes */
  GtkWidget *other;
};

G_DEFINE_FINAL_TYPE(MsShapeRow, ms_shape_row, MS_TYPE_OPTION_ROW)

static void
show_limit(MsShapeRow *self, const char *refusal)
{
  MsDocument *document = ms_option_row_get_document(MS_OPTION_ROW(self));
  GtkStyleContext *style = gtk_widget_get_style_context(self->entry);
  MsPlanRequest request;
  g_autofree char *text = NULL;

  if (!refusal && document && ms_document_plan_request(document, &request))
    text = g_strdup_printf(_("This device takes up to %u work-items a group."), (guint)request.limits.max_work_group);
  gtk_label_set_text(GTK_LABEL(self->limit), refusal ? refusal : text ? text : "");
  gtk_widget_set_visible(self->limit, refusal || text);
  if (refusal)
    gtk_style_context_add_class(style, GTK_STYLE_CLASS_ERROR);
  else
    gtk_style_context_remove_class(style, GTK_STYLE_CLASS_ERROR);
}

/* Invalid text stays in the field with the reason below it and does not change the settings. */
static void
try_shape(MsShapeRow *self, const char *value)
{
  MsOptionRow *row = MS_OPTION_ROW(self);
  MsDocument *document = ms_option_row_get_document(row);
  g_autofree char *refusal =
    document ? ms_document_option_refusal(document, ms_option_row_get_option(row), value) : NULL;

  show_limit(self, refusal);
  if (!refusal)
    ms_option_row_choose(row, value);
}

static void
activate_cb(MsShapeRow *self)
{
  g_autofree char *text = g_ascii_strdown(gtk_entry_get_text(GTK_ENTRY(self->entry)), -1);
  g_auto(GStrv) sides = g_strsplit(text, "×", -1);
  g_autofree char *value = g_strjoinv("x", sides);

  try_shape(self, g_strstrip(value));
}

/* Leaving the field applies a valid shape and restores the current one in place of an invalid one. */
static gboolean
focus_out_cb(MsShapeRow *self)
{
  activate_cb(self);
  ms_option_row_update(MS_OPTION_ROW(self));
  return GDK_EVENT_PROPAGATE;
}

static void
toggled_cb(MsShapeRow *self, GtkToggleButton *button)
{
  if (ms_option_row_is_updating(MS_OPTION_ROW(self)) || !gtk_toggle_button_get_active(button))
    return;
  gtk_popover_popdown(gtk_menu_button_get_popover(GTK_MENU_BUTTON(self->opener)));
  try_shape(self, gtk_widget_get_name(GTK_WIDGET(button)));
}

static void
fill_popover(MsShapeRow *self)
{
  GtkWidget *popover = gtk_popover_new(self->opener), *grid = gtk_grid_new();

  gtk_container_set_border_width(GTK_CONTAINER(grid), 12);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 6);
  self->other = g_object_ref_sink(ms_radio_button_new(NULL, NULL));
  for (guint i = 0; common_shapes[i]; i++) {
    GtkWidget *button = ms_radio_button_new(GTK_RADIO_BUTTON(self->other), common_shapes[i]);
    gtk_widget_set_name(button, common_shapes[i]);
    g_signal_connect_swapped(button, "toggled", G_CALLBACK(toggled_cb), self);
    ms_option_row_watch(MS_OPTION_ROW(self), button);
    g_ptr_array_add(self->shapes, button);
    gtk_grid_attach(GTK_GRID(grid), button, i / 6, i % 6, 1, 1);
  }
  gtk_container_add(GTK_CONTAINER(popover), grid);
  gtk_widget_show_all(grid);
  gtk_menu_button_set_popover(GTK_MENU_BUTTON(self->opener), popover);
}

static void
add_limit(MsShapeRow *self)
{
  self->limit = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->limit), 0);
  gtk_label_set_line_wrap(GTK_LABEL(self->limit), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(self->limit), 34);
  gtk_widget_set_no_show_all(self->limit, TRUE);
  gtk_style_context_add_class(gtk_widget_get_style_context(self->limit), GTK_STYLE_CLASS_DIM_LABEL);
  gtk_style_context_add_class(gtk_widget_get_style_context(self->limit), "caption");
  gtk_container_add(GTK_CONTAINER(self), self->limit);
}

static void
ms_shape_row_build(MsOptionRow *row)
{
  MsShapeRow *self = MS_SHAPE_ROW(row);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *label;
  g_autofree char *name = NULL;

  gtk_style_context_add_class(gtk_widget_get_style_context(box), "linked");
  self->entry = gtk_entry_new();
  gtk_entry_set_width_chars(GTK_ENTRY(self->entry), 9);
  gtk_widget_set_tooltip_text(self->entry, ms_option_tooltip(ms_option_row_get_option(row)));
  g_signal_connect_swapped(self->entry, "activate", G_CALLBACK(activate_cb), self);
  g_signal_connect_swapped(self->entry, "focus-out-event", G_CALLBACK(focus_out_cb), self);
  self->opener = gtk_menu_button_new();
  gtk_widget_set_tooltip_text(self->opener, _("Common shapes"));
  gtk_box_pack_start(GTK_BOX(box), self->entry, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(box), self->opener, FALSE, FALSE, 0);
  label = ms_option_row_add_label(row, box);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), self->entry);
  atk_object_set_name(gtk_widget_get_accessible(self->entry), gtk_label_get_text(GTK_LABEL(label)));
  atk_object_set_name(gtk_widget_get_accessible(self->opener), _("Common shapes"));
  add_limit(self);
  fill_popover(self);
}

static void
ms_shape_row_update(MsOptionRow *row)
{
  MsShapeRow *self = MS_SHAPE_ROW(row);
  MsSettings settings = ms_option_row_get_settings(row);
  g_autofree char *value = ms_option_get_text(ms_option_row_get_option(row), &settings);

  gtk_entry_set_text(GTK_ENTRY(self->entry), value);
  ms_option_row_offer(row, self->entry, value);
  ms_option_row_offer(row, self->opener, value);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->other), TRUE);
  for (guint i = 0; i < self->shapes->len; i++) {
    GtkWidget *button = g_ptr_array_index(self->shapes, i);
    if (strcmp(gtk_widget_get_name(button), value) == 0)
      gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
    ms_option_row_offer(row, button, gtk_widget_get_name(button));
  }
  show_limit(self, NULL);
}

static void
ms_shape_row_finalize(GObject *object)
{
  MsShapeRow *self = MS_SHAPE_ROW(object);

  g_ptr_array_unref(self->shapes);
  g_clear_object(&self->other);
  G_OBJECT_CLASS(ms_shape_row_parent_class)->finalize(object);
}

static void
ms_shape_row_class_init(MsShapeRowClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_shape_row_finalize;
  MS_OPTION_ROW_CLASS(klass)->build = ms_shape_row_build;
  MS_OPTION_ROW_CLASS(klass)->update = ms_shape_row_update;
}

static void
ms_shape_row_init(MsShapeRow *self)
{
  self->shapes = g_ptr_array_new();
}
