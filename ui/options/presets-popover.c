/* SPDX-License-Identifier: MIT */
#include "ui/options/presets-popover.h"

#include <glib/gi18n-lib.h>

#include "ui/common/format.h"
#include "ui/document/document-settings.h"

struct _MsPresetsPopover {
  GtkPopover parent_instance;
  MsPresets *presets;
  MsDocument *document;
  GtkWidget *list;
  GtkWidget *entry;
  GtkWidget *keep;
};

G_DEFINE_FINAL_TYPE(MsPresetsPopover, ms_presets_popover, GTK_TYPE_POPOVER)

static void
report(MsPresetsPopover *self, const GError *error)
{
  if (self->document)
    g_signal_emit_by_name(self->document, "problem", error);
}

static void
apply_cb(MsPresetsPopover *self, GtkWidget *button)
{
  MsSettings settings;
  g_autoptr(GError) error = NULL;

  if (!self->document)
    return;
  settings = *ms_document_get_settings(self->document);
  gtk_popover_popdown(GTK_POPOVER(self));
  if (ms_presets_apply(self->presets, gtk_widget_get_name(button), &settings, &error))
    ms_document_set_settings(self->document, &settings);
  else
    report(self, error);
}

static void
remove_cb(MsPresetsPopover *self, GtkWidget *button)
{
  g_autofree char *name = g_strdup(gtk_widget_get_name(button));
  g_autoptr(GError) error = NULL;

  if (!ms_presets_remove(self->presets, name, &error))
    report(self, error);
}

static void
keep_cb(MsPresetsPopover *self)
{
  g_autofree char *name = g_strstrip(g_strdup(gtk_entry_get_text(GTK_ENTRY(self->entry))));
  g_autoptr(GError) error = NULL;

  if (!self->document || !gtk_widget_get_sensitive(self->keep))
    return;
  if (ms_presets_add(self->presets, name, ms_document_get_settings(self->document), &error))
    gtk_entry_set_text(GTK_ENTRY(self->entry), "");
  else
    report(self, error);
}

static void
typed_cb(MsPresetsPopover *self)
{
  g_autofree char *name = g_strstrip(g_strdup(gtk_entry_get_text(GTK_ENTRY(self->entry))));

  gtk_widget_set_sensitive(self->keep, self->document && name[0] != '\0');
}

static GtkWidget *
new_remover(MsPresetsPopover *self, const char *name)
{
  GtkWidget *button = gtk_button_new_from_icon_name("edit-delete-symbolic", GTK_ICON_SIZE_BUTTON);
  g_autofree char *text = g_strdup_printf(_("Delete the preset “%s”"), name);

  gtk_widget_set_name(button, name);
  gtk_widget_set_tooltip_text(button, text);
  atk_object_set_name(gtk_widget_get_accessible(button), text);
  gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(remove_cb), self);
  return button;
}

/* (transfer full): the parameters of the preset, and its toggles that differ from the default */
static char *
describe(MsPresetsPopover *self, const char *name)
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
new_chooser(MsPresetsPopover *self, const char *name)
{
  GtkWidget *button = gtk_button_new(), *lines = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  g_autofree char *text = describe(self, name);
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
add_preset(MsPresetsPopover *self, const char *name, gboolean own)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *button = new_chooser(self, name);

  gtk_widget_set_name(button, name);
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(apply_cb), self);
  gtk_box_pack_start(GTK_BOX(line), button, TRUE, TRUE, 0);
  if (own)
    gtk_box_pack_end(GTK_BOX(line), new_remover(self, name), FALSE, FALSE, 0);
  gtk_widget_show_all(line);
  gtk_container_add(GTK_CONTAINER(self->list), line);
}

static void
fill(MsPresetsPopover *self)
{
  gtk_container_foreach(GTK_CONTAINER(self->list), (GtkCallback)(GCallback)gtk_widget_destroy, NULL);
  for (int own = 0; own <= 1; own++) {
    g_auto(GStrv) names = ms_presets_list(self->presets, own);
    for (guint i = 0; names[i]; i++)
      add_preset(self, names[i], own);
  }
}

static void
ms_presets_popover_dispose(GObject *object)
{
  MsPresetsPopover *self = MS_PRESETS_POPOVER(object);

  g_clear_object(&self->presets);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(ms_presets_popover_parent_class)->dispose(object);
}

static void
ms_presets_popover_class_init(MsPresetsPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = ms_presets_popover_dispose;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/options/presets-popover.ui");
  gtk_widget_class_bind_template_child(widget_class, MsPresetsPopover, list);
  gtk_widget_class_bind_template_child(widget_class, MsPresetsPopover, entry);
  gtk_widget_class_bind_template_child(widget_class, MsPresetsPopover, keep);
  gtk_widget_class_bind_template_callback(widget_class, keep_cb);
  gtk_widget_class_bind_template_callback(widget_class, typed_cb);
}

static void
ms_presets_popover_init(MsPresetsPopover *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

GtkWidget *
ms_presets_popover_new(GtkWidget *relative_to, MsPresets *presets)
{
  MsPresetsPopover *self = g_object_new(MS_TYPE_PRESETS_POPOVER, "relative-to", relative_to, NULL);

  self->presets = g_object_ref(presets);
  g_signal_connect_object(presets, "changed", G_CALLBACK(fill), self, G_CONNECT_SWAPPED);
  fill(self);
  return GTK_WIDGET(self);
}

/** ms_presets_popover_set_document: @document: (nullable): the document whose settings are changed and saved. */
void
ms_presets_popover_set_document(MsPresetsPopover *self, MsDocument *document)
{
  g_set_object(&self->document, document);
  typed_cb(self);
}
