/* SPDX-License-Identifier: MIT */
#include "ui/options/preferences.h"

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gsettingsbackend.h>
#include <glib/gstdio.h>

#define SCHEMA_ID "io.github.meanshift_lab.MeanshiftLab"
#define SCHEMA_PATH "/io/github/meanshift_lab/MeanshiftLab/"
#define COMPILED "/io/github/meanshift_lab/MeanshiftLab/gschemas.compiled"

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

static gboolean
on_key(GtkWidget *window, GdkEventKey *event)
{
  if (event->keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  gtk_window_close(GTK_WINDOW(window));
  return GDK_EVENT_STOP;
}

/* The controls, which are named like the settings. */
static const struct {
  const char *key;
  const char *property;
} controls[] = {
  {"live", "active"},           {"dark", "active"},    {"difference-gain", "value"}, {"picture-memory", "value"},
  {"largest-picture", "value"}, {"watchdog", "value"}, {"jpeg-quality", "value"},    {"png-compression", "value"},
};

/** ms_preferences_window_new: (transfer none): the preferences; changes take effect at once. */
GtkWidget *
ms_preferences_window_new(GtkWindow *parent, GSettings *settings)
{
  g_autoptr(GtkBuilder) builder =
    gtk_builder_new_from_resource("/io/github/meanshift_lab/MeanshiftLab/ui/options/preferences.ui");
  GtkWidget *window = GTK_WIDGET(gtk_builder_get_object(builder, "window"));

  gtk_window_set_transient_for(GTK_WINDOW(window), parent);
  g_signal_connect(window, "key-press-event", G_CALLBACK(on_key), NULL);
  for (guint i = 0; i < G_N_ELEMENTS(controls); i++)
    g_settings_bind(settings, controls[i].key, gtk_builder_get_object(builder, controls[i].key), controls[i].property,
                    G_SETTINGS_BIND_DEFAULT);
  return window;
}
