/* SPDX-License-Identifier: MIT */
#include "ui/options/preferences.h"

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gsettingsbackend.h>
#include <glib/gstdio.h>

#define SCHEMA_ID "io.github.meanshift_lab.MeanshiftLab"
#define SCHEMA_PATH "/io/github/meanshift_lab/MeanshiftLab/"
#define COMPILED "/io/github/meanshift_lab/MeanshiftLab/gschemas.compiled"

struct _MsPreferencesWindow {
  GtkWindow parent_instance;
  GtkWidget *live;
  GtkWidget *dark;
  GtkWidget *gain;
  GtkWidget *memory;
  GtkWidget *largest;
  GtkWidget *watchdog;
  GtkWidget *quality;
  GtkWidget *compression;
};

G_DEFINE_FINAL_TYPE(MsPreferencesWindow, ms_preferences_window, GTK_TYPE_WINDOW)

/* GSettings reads compiled schemas from folders only, so the built-in one is written to a temporary folder. */
static GSettingsSchemaSource *
own_schema_source(GError **error)
{
  g_autoptr(GBytes) bytes = g_resources_lookup_data(COMPILED, 0, error);
  g_autofree char *folder = bytes ? g_dir_make_tmp("meanshift-lab-XXXXXX", error) : NULL;
  g_autofree char *path = folder ? g_build_filename(folder, "gschemas.compiled", NULL) : NULL;
  GSettingsSchemaSource *source = NULL;

  if (!path)
    return NULL;
  if (g_file_set_contents(path, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), error))
    source = g_settings_schema_source_new_from_directory(folder, g_settings_schema_source_get_default(), TRUE, error);
  g_unlink(path);
  g_rmdir(folder);
  return source;
}

/* Tests choose the memory backend by its usual environment variable. */
static GSettingsBackend *
new_backend(void)
{
  g_autofree char *path = g_build_filename(g_get_user_config_dir(), "meanshift-lab", "settings.ini", NULL);

  if (g_strcmp0(g_getenv("GSETTINGS_BACKEND"), "memory") == 0)
    return g_memory_settings_backend_new();
  return g_keyfile_settings_backend_new(path, SCHEMA_PATH, "Settings");
}

static GSettings *
open_uninstalled(void)
{
  g_autoptr(GError) error = NULL;
  GSettingsSchemaSource *source = own_schema_source(&error);
  g_autoptr(GSettingsSchema) schema = source ? g_settings_schema_source_lookup(source, SCHEMA_ID, FALSE) : NULL;
  g_autoptr(GSettingsBackend) backend = NULL;

  if (!schema)
    g_error("The program's own settings schema cannot be read: %s", error ? error->message : "it is not built in");
  g_settings_schema_source_unref(source);
  backend = new_backend();
  return g_settings_new_full(schema, backend, NULL);
}

/** ms_preferences_open: (transfer full): the settings, in a key file of the user if the schema is not installed. */
GSettings *
ms_preferences_open(void)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default();
  g_autoptr(GSettingsSchema) schema = source ? g_settings_schema_source_lookup(source, SCHEMA_ID, TRUE) : NULL;

  return schema ? g_settings_new_full(schema, NULL, NULL) : open_uninstalled();
}

static void
ms_preferences_window_class_init(MsPreferencesWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  GtkBindingSet *bindings = gtk_binding_set_by_class(klass);

  gtk_binding_entry_add_signal(bindings, GDK_KEY_Escape, 0, "close", 0);
  g_signal_new_class_handler("close", MS_TYPE_PREFERENCES_WINDOW, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
                             G_CALLBACK(gtk_window_close), NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/meanshift_lab/MeanshiftLab/ui/options/preferences.ui");
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, live);
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, dark);
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, gain);
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, memory);
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, largest);
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, watchdog);
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, quality);
  gtk_widget_class_bind_template_child(widget_class, MsPreferencesWindow, compression);
}

static void
ms_preferences_window_init(MsPreferencesWindow *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

/** ms_preferences_window_new: (transfer none): the preferences; changes take effect at once. */
GtkWidget *
ms_preferences_window_new(GtkWindow *parent, GSettings *settings)
{
  MsPreferencesWindow *self = g_object_new(MS_TYPE_PREFERENCES_WINDOW, "transient-for", parent, NULL);

  g_settings_bind(settings, "live", self->live, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(settings, "dark", self->dark, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(settings, "difference-gain", self->gain, "value", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(settings, "picture-memory", self->memory, "value", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(settings, "largest-picture", self->largest, "value", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(settings, "watchdog", self->watchdog, "value", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(settings, "jpeg-quality", self->quality, "value", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(settings, "png-compression", self->compression, "value", G_SETTINGS_BIND_DEFAULT);
  return GTK_WIDGET(self);
}
