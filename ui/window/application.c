/* SPDX-License-Identifier: MIT */
#include "ui/window/application.h"

#include <glib/gi18n-lib.h>

#include "ui/document/flip-compiler.h"
#include "ui/options/preferences.h"
#include "ui/window/window.h"

#define APPLICATION_ID "io.github.meanshift_lab.MeanshiftLab"
#define RESOURCES "/io/github/meanshift_lab/MeanshiftLab"

struct _MsApplication {
  GtkApplication parent_instance;
  MsWindowEngine *engine;
  GSettings *settings;
};

G_DEFINE_FINAL_TYPE(MsApplication, ms_application, GTK_TYPE_APPLICATION)

typedef struct {
  const char *action;
  const char *accels[4];
} Shortcut;

static const Shortcut shortcuts[] = {
  {"app.new-window", {"<Primary>n"}},
  {"app.preferences", {"<Primary>comma"}},
  {"app.quit", {"<Primary>q"}},
  {"win.show-help-overlay", {"F1", "<Primary>question", "question"}},
  {"win.menu", {"F10"}},
  {"win.open", {"<Primary>o"}},
  {"win.paste", {"<Primary>v"}},
  {"win.save", {"<Primary>s"}},
  {"win.print", {"<Primary>p"}},
  {"win.save-as", {"<Primary><Shift>s"}},
  {"win.copy", {"<Primary>c"}},
  {"win.copy-command", {"<Primary><Shift>c"}},
  {"win.close-tab", {"<Primary>w"}},
  {"win.undo", {"<Primary>z"}},
  {"win.redo", {"<Primary><Shift>z", "<Primary>y"}},
  {"win.reset", {"<Primary><Shift>r"}},
  {"win.filter", {"F5", "<Primary>r"}},
  {"win.cancel", {"Escape"}},
  {"win.view-mode::original", {"1"}},
  {"win.view-mode::filtered", {"2"}},
  {"win.view-mode::split", {"3"}},
  {"win.view-mode::side-by-side", {"4"}},
  {"win.view-mode::difference", {"5"}},
  {"win.view-mode::regions", {"6"}},
  {"win.zoom-in", {"<Primary>plus", "<Primary>equal"}},
  {"win.zoom-out", {"<Primary>minus"}},
  {"win.zoom-fit", {"<Primary>0"}},
  {"win.zoom-to(1.0)", {"<Primary>1"}},
  {"win.workspace::picture", {"<Alt>1"}},
  {"win.workspace::lab", {"<Alt>2"}},
  {"win.workspace::batch", {"<Alt>3"}},
  {"win.next-tab", {"<Primary>Page_Down"}},
  {"win.previous-tab", {"<Primary>Page_Up"}},
  {"win.side-panel", {"F9"}},
  {"win.left-panel", {"<Shift>F9"}},
  {"win.details", {"<Primary>d"}},
  {"win.folder-strip", {"<Primary>F9"}},
  {"win.fullscreen", {"F11"}},
};

static void
take_out(GtkWidget *child, gpointer overlay)
{
  g_object_set_data_full(overlay, "contents", g_object_ref(child), g_object_unref);
  gtk_container_remove(overlay, child);
}

/*
 * GTK 3.24 never destroys the contents of a window of shortcuts; they keep a pointer to the freed window, which an
 * assistive reader follows. The window itself needs them until it is finalized.
 */
static void
on_shortcuts_destroyed(GtkContainer *overlay)
{
  gtk_container_forall(overlay, take_out, overlay);
}

static void
add_shortcuts(GtkApplicationWindow *window)
{
  g_autoptr(GtkBuilder) builder = gtk_builder_new_from_resource(RESOURCES "/ui/window/shortcuts.ui");
  GtkShortcutsWindow *overlay = GTK_SHORTCUTS_WINDOW(gtk_builder_get_object(builder, "shortcuts"));

  g_signal_connect(overlay, "destroy", G_CALLBACK(on_shortcuts_destroyed), NULL);
  gtk_application_window_set_help_overlay(window, overlay);
}

static MsWindow *
new_window(MsApplication *self)
{
  MsWindow *window = ms_window_new(GTK_APPLICATION(self), self->engine, self->settings);

  add_shortcuts(GTK_APPLICATION_WINDOW(window));
  gtk_window_present(GTK_WINDOW(window));
  return window;
}

static MsWindow *
front_window(MsApplication *self)
{
  for (GList *l = gtk_application_get_windows(GTK_APPLICATION(self)); l; l = l->next)
    if (MS_IS_WINDOW(l->data))
      return l->data;
  return new_window(self);
}

static void
on_new_window(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  new_window(data);
}

static void
on_preferences(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  MsApplication *self = data;
  GtkWindow *parent = gtk_application_get_active_window(GTK_APPLICATION(self));

  gtk_window_present(GTK_WINDOW(ms_preferences_window_new(parent, self->settings)));
}

static void
on_about(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_show_about_dialog(gtk_application_get_active_window(data), "program-name", "Meanshift Lab", "version", MS_VERSION,
                        "comments", _("Mean-shift filtering on any OpenCL device"), "logo-icon-name", APPLICATION_ID,
                        "license-type", GTK_LICENSE_MIT_X11, "copyright", "© The Meanshift Lab authors", "modal", TRUE,
                        NULL);
}

static void
on_quit(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GList *windows = g_list_copy_deep(gtk_application_get_windows(data), (GCopyFunc)(GCallback)g_object_ref, NULL);

  /* Closing a window also closes its dialogs. */
  for (GList *l = windows; l; l = l->next)
    if (MS_IS_WINDOW(l->data))
      gtk_window_close(l->data);
  g_list_free_full(windows, g_object_unref);
}

static const GActionEntry entries[] = {
  {"new-window", on_new_window},
  {"preferences", on_preferences},
  {"about", on_about},
  {"quit", on_quit},
};

static void
on_dark_changed(GSettings *settings)
{
  GtkSettings *gtk = gtk_settings_get_default();

  if (g_settings_get_boolean(settings, "dark"))
    g_object_set(gtk, "gtk-application-prefer-dark-theme", TRUE, NULL);
  else
    gtk_settings_reset_property(gtk, "gtk-application-prefer-dark-theme");
}

static void
on_watchdog_changed(GSettings *settings, const char *key, MsWindowEngine *engine)
{
  ms_window_engine_set_watchdog(engine, (guint)g_settings_get_int(settings, "watchdog") * 1000);
}

static void
load_style(void)
{
  g_autoptr(GtkCssProvider) provider = gtk_css_provider_new();

  gtk_css_provider_load_from_resource(provider, RESOURCES "/ui/style.css");
  gtk_style_context_add_provider_for_screen(gdk_screen_get_default(), GTK_STYLE_PROVIDER(provider),
                                            GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

static void
set_shortcuts(GtkApplication *application)
{
  for (guint i = 0; i < G_N_ELEMENTS(shortcuts); i++)
    gtk_application_set_accels_for_action(application, shortcuts[i].action, shortcuts[i].accels);
}

static void
ms_application_startup(GApplication *application)
{
  MsApplication *self = MS_APPLICATION(application);
  g_autofree char *device = NULL;

  G_APPLICATION_CLASS(ms_application_parent_class)->startup(application);
  gtk_icon_theme_add_resource_path(gtk_icon_theme_get_default(), RESOURCES "/icons");
  gtk_window_set_default_icon_name(APPLICATION_ID);
  load_style();
  self->settings = ms_preferences_open();
  self->engine = ms_window_engine_new();
  ms_flip_compiler_attach(self->engine, MS_FLIP_COMPILER_NICE);
  g_signal_connect(self->settings, "changed::dark", G_CALLBACK(on_dark_changed), NULL);
  g_signal_connect_object(self->settings, "changed::watchdog", G_CALLBACK(on_watchdog_changed), self->engine, 0);
  if (g_settings_get_boolean(self->settings, "dark"))
    on_dark_changed(self->settings);
  on_watchdog_changed(self->settings, NULL, self->engine);
  g_action_map_add_action_entries(G_ACTION_MAP(self), entries, G_N_ELEMENTS(entries), self);
  set_shortcuts(GTK_APPLICATION(self));
  device = g_settings_get_string(self->settings, "device");
  ms_window_engine_choose(self->engine, device);
}

static void
ms_application_activate(GApplication *application)
{
  gtk_window_present(GTK_WINDOW(front_window(MS_APPLICATION(application))));
}

static void
ms_application_open(GApplication *application, GFile **files, int n_files, const char *hint)
{
  MsWindow *window = front_window(MS_APPLICATION(application));

  for (int i = 0; i < n_files; i++)
    ms_window_open(window, files[i]);
  gtk_window_present(GTK_WINDOW(window));
}

static void
ms_application_shutdown(GApplication *application)
{
  MsApplication *self = MS_APPLICATION(application);

  G_APPLICATION_CLASS(ms_application_parent_class)->shutdown(application);
  if (!self->engine)
    return;
  ms_flip_compiler_detach(self->engine);
  ms_window_engine_shut_down(self->engine);
}

static void
ms_application_finalize(GObject *object)
{
  MsApplication *self = MS_APPLICATION(object);

  g_clear_object(&self->engine);
  g_clear_object(&self->settings);
  G_OBJECT_CLASS(ms_application_parent_class)->finalize(object);
}

static void
ms_application_class_init(MsApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS(klass);

  application_class->startup = ms_application_startup;
  application_class->activate = ms_application_activate;
  application_class->open = ms_application_open;
  application_class->shutdown = ms_application_shutdown;
  G_OBJECT_CLASS(klass)->finalize = ms_application_finalize;
}

static void
ms_application_init(MsApplication *self)
{
}

/** ms_application_new: (transfer full): @flags: in addition to G_APPLICATION_HANDLES_OPEN. */
MsApplication *
ms_application_new(GApplicationFlags flags)
{
  return g_object_new(MS_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                      G_APPLICATION_HANDLES_OPEN | flags, "resource-base-path", RESOURCES, NULL);
}

/** ms_application_get_engine: (transfer none): the engine of all windows; available after startup. */
MsWindowEngine *
ms_application_get_engine(MsApplication *self)
{
  return self->engine;
}

/** ms_application_get_settings: (transfer none): available after startup. */
GSettings *
ms_application_get_settings(MsApplication *self)
{
  return self->settings;
}

/** ms_application_run: opens the window on the pictures named in @argv and returns when the last one is closed. */
int
ms_application_run(int argc, char **argv)
{
  g_autoptr(MsApplication) application = NULL;

  g_set_prgname(APPLICATION_ID);
  g_set_application_name("Meanshift Lab");
  /* GTK itself would end the process with a word about the display alone. */
  if (!gtk_init_check(&argc, &argv)) {
    g_printerr("meanshift-lab: %s\n", _("No display can be opened for the window; start it on a desktop, or filter "
                                        "pictures without one: meanshift-lab --headless INPUT... -o OUTPUT"));
    return EXIT_FAILURE;
  }
  application = ms_application_new(0);
  return g_application_run(G_APPLICATION(application), argc, argv);
}
