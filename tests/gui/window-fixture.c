/* SPDX-License-Identifier: MIT */
#include "tests/gui/window-fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "core/image/image-save.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"
#include "ui/document/document.h"
#include "ui/document/flip-compiler.h"
#include "ui/options/options-panel.h"
#include "ui/window/window.h"

/* All tests of a process share one application object; each test opens its own windows. */
static MsApplication *
the_application(void)
{
  static MsApplication *application;
  g_autoptr(GError) error = NULL;

  if (application)
    return application;
  application = ms_application_new(G_APPLICATION_NON_UNIQUE);
  if (!g_application_register(G_APPLICATION(application), NULL, &error))
    g_error("%s", error->message);
  return application;
}

/**
 * window_fixture_run: g_test_run(), and ends the thread of the device, which must not compile a kernel while exit()
 * destroys what the compiler's libraries keep.
 */
int
window_fixture_run(void)
{
  int status = g_test_run();

  ms_window_engine_shut_down(ms_application_get_engine(the_application()));
  return status;
}

/** window_fixture_set_up: %FALSE with the test skipped (failed where CI is set) where there is no OpenCL device. */
gboolean
window_fixture_set_up(WindowFixture *self)
{
  g_autoptr(MsContext) context = ms_fixture_context();

  *self = (WindowFixture){NULL};
  if (!context)
    return FALSE;
  self->folder = ms_test_folder_new();
  self->application = the_application();
  self->engine = ms_application_get_engine(self->application);
  /* Tests count processes and calls of the driver, and test-flip-compiler.c tests it. */
  ms_flip_compiler_detach(self->engine);
  ms_window_engine_choose(self->engine, context->device->address);
  /* A slow machine must not count as a hung device. */
  ms_window_engine_set_watchdog(self->engine, 0);
  g_settings_reset(ms_application_get_settings(self->application), "live");
  g_settings_set_string(ms_application_get_settings(self->application), "view-mode", "split");
  self->window =
    ms_window_new(GTK_APPLICATION(self->application), self->engine, ms_application_get_settings(self->application));
  g_object_add_weak_pointer(G_OBJECT(self->window), (gpointer *)&self->window);
  gtk_window_present(GTK_WINDOW(self->window));
  wait_for(60, ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_READY);
  panel_fixture_settle();
  return TRUE;
}

/** window_fixture_tear_down: closes the window as a user would and checks that it is finalized. */
void
window_fixture_tear_down(WindowFixture *self)
{
  if (!self->application)
    return;
  if (self->window)
    gtk_window_close(GTK_WINDOW(self->window));
  wait_for(30, self->window == NULL);
  self->application = NULL;
  ms_test_folder_remove(self->folder);
}

/** window_fixture_write: (transfer full): saves @image into the test's own folder. */
GFile *
window_fixture_write(WindowFixture *self, MsImage *image, const char *name)
{
  g_autofree char *path = g_build_filename(self->folder, name, NULL);
  g_autoptr(GError) error = NULL;

  if (!ms_image_save(image, path, NULL, NULL, NULL, &error))
    g_error("%s", error->message);
  return g_file_new_for_path(path);
}

/** window_fixture_open: opens @file and waits until its first run has ended. */
void
window_fixture_open(WindowFixture *self, GFile *file)
{
  ms_window_open(self->window, file);
  wait_for(60, !ms_window_is_opening(self->window));
  wait_for(120,
           ms_window_get_document(self->window) && ms_document_get_current_run(ms_window_get_document(self->window)));
  window_fixture_wait_idle(self);
}

/** window_fixture_open_scene: (transfer none): opens a generated picture of that size from a file. */
MsDocument *
window_fixture_open_scene(WindowFixture *self, int width, int height)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(width, height, 3);
  g_autofree char *name = g_strdup_printf("scene-%dx%d.png", width, height);
  g_autoptr(GFile) file = window_fixture_write(self, scene, name);

  window_fixture_open(self, file);
  return ms_window_get_document(self->window);
}

/** window_fixture_opaque_scene: (transfer full): an opaque picture, which is drawn without blending. */
MsImage *
window_fixture_opaque_scene(int width, int height)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(width, height, 5);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(scene), ms_image_get_byte_size(scene));

  for (gsize i = 3; i < ms_image_get_byte_size(scene); i += 4)
    pixels[i] = 255;
  return ms_image_new_take(width, height, pixels, NULL);
}

static void
on_held(GObject *engine, GAsyncResult *result, gpointer is_held)
{
  *(gboolean *)is_held = ms_window_engine_hold_finish(MS_WINDOW_ENGINE(engine), result, NULL);
}

/** window_fixture_wait_for_rest: waits until the device has done everything that was asked, for panels as well. */
void
window_fixture_wait_for_rest(WindowFixture *self)
{
  g_autoptr(GCancellable) holder = g_cancellable_new();
  gboolean is_held = FALSE;

  /* What holds the device gets it after all requests. */
  ms_window_engine_hold_async(self->engine, holder, on_held, &is_held);
  wait_for(240, is_held);
  ms_window_engine_release(self->engine, holder);
}

/** window_fixture_wait_idle: waits until no run is active and everything is drawn. */
void
window_fixture_wait_idle(WindowFixture *self)
{
  MsDocument *document = ms_window_get_document(self->window);

  panel_fixture_settle();
  wait_for(180, !ms_document_is_busy(document));
  panel_fixture_settle();
}

/**
 * window_fixture_assert_filtered: checks that the picture is that of the serial reference with the current settings.
 */
void
window_fixture_assert_filtered(WindowFixture *self)
{
  MsDocument *document = ms_window_get_document(self->window);
  const MsSettings *settings = ms_document_get_settings(document);
  MsRun *run = ms_document_get_current_run(document);
  g_autofree char *arguments = ms_settings_to_arguments(settings);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_fixture_reference(ms_document_get_source(document), &settings->params, NULL, &error);

  g_assert_no_error(error);
  g_assert_nonnull(run);
  if (!ms_settings_equal(ms_run_get_requested(run), settings))
    g_error("The last run is not of the settings shown (%s); the window says: %s", arguments,
            ms_window_get_message(self->window));
  ms_fixture_assert_same(expected, ms_run_get_result(run), arguments);
}

/** window_fixture_activate: activates an enabled action by its detailed name, as in "view-mode::split". */
void
window_fixture_activate(WindowFixture *self, const char *action)
{
  g_autofree char *name = NULL;
  g_autoptr(GVariant) target = NULL;
  g_autoptr(GError) error = NULL;

  if (!g_action_parse_detailed_name(action, &name, &target, &error))
    g_error("%s", error->message);
  if (!g_action_group_get_action_enabled(G_ACTION_GROUP(self->window), name))
    g_error("The action %s is not possible now", name);
  g_action_group_activate_action(G_ACTION_GROUP(self->window), name, target);
  panel_fixture_settle();
}

/** window_fixture_dismiss: dismisses all that the window says, one after the other, as a person does. */
void
window_fixture_dismiss(WindowFixture *self)
{
  while (ms_window_get_message(self->window)[0] != '\0')
    ms_window_dismiss_message(self->window);
}

/** window_fixture_find_dialog: (transfer none) (nullable): the window of that type which is shown. */
GtkWidget *
window_fixture_find_dialog(GType type)
{
  g_autoptr(GList) all = gtk_window_list_toplevels();

  for (GList *l = all; l; l = l->next)
    if (G_TYPE_CHECK_INSTANCE_TYPE(l->data, type) && gtk_widget_get_visible(l->data))
      return l->data;
  return NULL;
}

/** window_fixture_save_as: asks for the dialog, and answers it later by window_fixture_answer_save(). */
GtkWidget *
window_fixture_save_as(WindowFixture *self)
{
  GtkWidget *dialog = NULL;

  window_fixture_activate(self, "save-as");
  wait_for(60, (dialog = window_fixture_find_dialog(GTK_TYPE_FILE_CHOOSER_DIALOG)));
  return dialog;
}

static gboolean
is_chosen(GtkFileChooser *chooser, const char *path)
{
  g_autofree char *chosen = gtk_file_chooser_get_filename(chooser);

  return g_strcmp0(chosen, path) == 0;
}

/** window_fixture_answer_save: chooses a name in the folder of the test, and a format (nullable), and saves. */
void
window_fixture_answer_save(WindowFixture *self, GtkWidget *dialog, const char *name, const char *format)
{
  g_autofree char *path = g_build_filename(self->folder, name, NULL);
  GtkFileChooser *chooser = GTK_FILE_CHOOSER(dialog);

  gtk_file_chooser_set_current_folder(chooser, self->folder);
  gtk_file_chooser_set_current_name(chooser, name);
  if (format)
    gtk_file_chooser_set_choice(chooser, "format", format);
  wait_for(60, is_chosen(chooser, path));
  gtk_dialog_response(GTK_DIALOG(dialog), GTK_RESPONSE_ACCEPT);
}

/** window_fixture_row: (transfer none): the side panel's control of an option. */
GtkWidget *
window_fixture_row(WindowFixture *self, const char *option)
{
  GtkWidget *panel = find_by_type(GTK_WIDGET(self->window), MS_TYPE_OPTIONS_PANEL);
  GtkWidget *row = ms_options_panel_get_row(MS_OPTIONS_PANEL(panel), option);

  g_assert_nonnull(row);
  return row;
}

/** window_fixture_spin: (transfer none): the field with the number of an option. */
GtkWidget *
window_fixture_spin(WindowFixture *self, const char *option)
{
  return find_by_type(window_fixture_row(self, option), GTK_TYPE_SPIN_BUTTON);
}

/** window_fixture_render: (transfer full): the image view as it is drawn now. */
cairo_surface_t *
window_fixture_render(WindowFixture *self)
{
  GtkWidget *view = GTK_WIDGET(ms_window_get_view(self->window));
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, gtk_widget_get_allocated_width(view),
                                                        gtk_widget_get_allocated_height(view));
  cairo_t *cr = cairo_create(surface);

  gtk_widget_draw(view, cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  return surface;
}

/** window_fixture_resident_bytes: the resident memory of the process. */
gsize
window_fixture_resident_bytes(void)
{
  g_autofree char *text = NULL;
  gulong total = 0, resident = 0;

  g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint(sscanf(text, "%lu %lu", &total, &resident), ==, 2);
  return resident * (gsize)sysconf(_SC_PAGESIZE);
}
