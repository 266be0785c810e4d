/* SPDX-License-Identifier: MIT */
#include "ui/options/device-chooser.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "ui/options/radio.h"

struct _MsDeviceChooser {
  GtkMenuButton parent_instance;
  MsWindowEngine *engine;
  GtkWidget *icon;
  GtkWidget *name;
  GtkWidget *list;
  GtkWidget *explanation;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE(MsDeviceChooser, ms_device_chooser, GTK_TYPE_MENU_BUTTON)

static guint chosen_signal;

static void
on_toggled(MsDeviceChooser *self, GtkToggleButton *button)
{
  g_autofree char *device_selector = g_strdup(gtk_widget_get_name(GTK_WIDGET(button)));

  if (self->filling || !gtk_toggle_button_get_active(button))
    return;
  gtk_popover_popdown(gtk_menu_button_get_popover(GTK_MENU_BUTTON(self)));
  ms_window_engine_choose(self->engine, device_selector);
  g_signal_emit(self, chosen_signal, 0, device_selector);
}

static GtkWidget *
new_text(const char *title, const char *detail)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *first = gtk_label_new(title), *second = gtk_label_new(detail);

  gtk_label_set_xalign(GTK_LABEL(first), 0);
  gtk_label_set_xalign(GTK_LABEL(second), 0);
  gtk_label_set_ellipsize(GTK_LABEL(second), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(GTK_LABEL(second), 64);
  gtk_widget_set_tooltip_text(second, detail);
  gtk_style_context_add_class(gtk_widget_get_style_context(second), GTK_STYLE_CLASS_DIM_LABEL);
  gtk_style_context_add_class(gtk_widget_get_style_context(second), "caption");
  gtk_container_add(GTK_CONTAINER(box), first);
  gtk_container_add(GTK_CONTAINER(box), second);
  return box;
}

static GtkRadioButton *
add_choice(MsDeviceChooser *self, GtkRadioButton *group, const char *device_selector, const char *title,
           const char *detail)
{
  GtkWidget *button = ms_radio_button_new(group, NULL);

  gtk_widget_set_name(button, device_selector);
  gtk_container_add(GTK_CONTAINER(button), new_text(title, detail));
  atk_object_set_name(gtk_widget_get_accessible(button), title);
  atk_object_set_description(gtk_widget_get_accessible(button), detail);
  gtk_container_add(GTK_CONTAINER(self->list), button);
  gtk_widget_show_all(button);
  if (strcmp(device_selector, ms_window_engine_get_device_selector(self->engine)) == 0)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
  g_signal_connect_swapped(button, "toggled", G_CALLBACK(on_toggled), self);
  return GTK_RADIO_BUTTON(button);
}

static char *
describe(MsDevice *device)
{
  const MsDeviceLimits *limits = &device->limits;
  g_autofree char *memory = g_format_size_full(limits->global_memory, G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf("%s, %u units, %s · %s · %s, driver %s · %s", ms_device_type_name(limits->type),
                         limits->compute_units, memory, device->name, device->platform, device->driver,
                         device->address);
}

static void
fill_list(MsDeviceChooser *self)
{
  GPtrArray *devices = ms_window_engine_get_devices(self->engine);
  GtkRadioButton *group;

  self->filling = TRUE;
  gtk_container_foreach(GTK_CONTAINER(self->list), (GtkCallback)(GCallback)gtk_widget_destroy, NULL);
  group = add_choice(self, NULL, "auto", _("Automatic"), _("The first device that works: graphics before processors"));
  for (guint i = 0; i < devices->len; i++) {
    MsDevice *device = g_ptr_array_index(devices, i);
    g_autofree char *detail = describe(device);
    group = add_choice(self, group, device->address, device->title, detail);
  }
  add_choice(self, group, MS_ENGINE_REFERENCE, _("Serial reference"),
             _("One thread of plain C; needs no OpenCL, slow"));
  self->filling = FALSE;
}

static char *
name_in_use(MsDeviceChooser *self)
{
  if (ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_OPENING)
    return g_strdup(_("Opening…"));
  if (ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_FAILED)
    return g_strdup(_("No device"));
  if (ms_window_engine_is_reference(self->engine))
    return g_strdup(_("Serial reference"));
  return g_strdup(ms_window_engine_get_device(self->engine)->title);
}

static void
update(MsDeviceChooser *self)
{
  const GError *problem = ms_window_engine_get_problem(self->engine);
  const char *why = problem ? problem->message : ms_window_engine_get_explanation(self->engine);
  g_autofree char *name = name_in_use(self);
  MsDevice *device = ms_window_engine_get_device(self->engine);
  g_autofree char *spoken = g_strdup_printf(_("Device in use: %s%s%s"), name, why ? "\n" : "", why ? why : "");
  g_autofree char *tooltip = device ? g_strdup_printf("%s\n%s", spoken, device->name) : g_strdup(spoken);

  gtk_label_set_text(GTK_LABEL(self->name), name);
  gtk_image_set_from_icon_name(GTK_IMAGE(self->icon), why ? "dialog-warning-symbolic" : "ms-device-symbolic",
                               GTK_ICON_SIZE_BUTTON);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), tooltip);
  atk_object_set_name(gtk_widget_get_accessible(GTK_WIDGET(self)), spoken);
  gtk_label_set_text(GTK_LABEL(self->explanation), why ? why : "");
  gtk_widget_set_visible(self->explanation, why != NULL);
  fill_list(self);
}

static void
ms_device_chooser_dispose(GObject *object)
{
  g_clear_object(&MS_DEVICE_CHOOSER(object)->engine);
  G_OBJECT_CLASS(ms_device_chooser_parent_class)->dispose(object);
}

static void
ms_device_chooser_class_init(MsDeviceChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = ms_device_chooser_dispose;
  chosen_signal = g_signal_new("chosen", MS_TYPE_DEVICE_CHOOSER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                               G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/options/device-chooser.ui");
  gtk_widget_class_bind_template_child(widget_class, MsDeviceChooser, icon);
  gtk_widget_class_bind_template_child(widget_class, MsDeviceChooser, name);
  gtk_widget_class_bind_template_child(widget_class, MsDeviceChooser, list);
  gtk_widget_class_bind_template_child(widget_class, MsDeviceChooser, explanation);
}

static void
ms_device_chooser_init(MsDeviceChooser *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

/** ms_device_chooser_set_engine: sets, once, the engine whose device is shown. */
void
ms_device_chooser_set_engine(MsDeviceChooser *self, MsWindowEngine *engine)
{
  g_return_if_fail(!self->engine);

  self->engine = g_object_ref(engine);
  g_signal_connect_object(engine, "changed", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  update(self);
}
