/* SPDX-License-Identifier: MIT */
/* Runs: the latest request is computed, any run can be stopped, and old ones are dropped. */
#include <string.h>

#include "tests/gui/window-fixture.h"
#include "tests/support/fixture.h"
#include "tests/support/profiles.h"
#include "ui/document/document.h"
#include "ui/image-view/image-view.h"
#include "ui/window/window.h"

/* Settings that take many seconds of a small picture on any processor: an image object excludes the fast kernels. */
static MsSettings
slow_settings(void)
{
  MsSettings settings = ms_settings_default();

  settings.options.memory = MS_MEMORY_IMAGE;
  settings.params.sp = 60;
  settings.params.max_iterations = 60;
  return settings;
}

static void
test_cancel(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 400, 300);
  MsRun *before = ms_document_get_current_run(document);
  const MsSettings slow = slow_settings();
  ms_document_set_settings(document, &slow);
  g_assert_true(ms_document_is_busy(document));
  panel_fixture_settle();
  gint64 start = g_get_monotonic_time();
  window_fixture_activate(&fixture, "cancel");
  wait_for(30, !ms_document_is_busy(document));
  g_test_message("cancelled within %.0f ms", (g_get_monotonic_time() - start) / 1000.0);
  g_assert_true(ms_document_get_current_run(document) == before);
  g_assert_cmpuint(ms_document_get_pieces(document)->len, ==, 0);
  g_assert_true(ms_settings_equal(&slow, ms_document_get_settings(document)));
  g_autofree char *description = ms_image_view_describe(ms_window_get_view(fixture.window));
  g_assert_nonnull(strstr(description, "Filtered with other settings"));
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

/* A deleted run is announced by a toast, whose button puts it back. */
static void
test_undo_deletion(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 60, 40);
  MsRun *run = ms_document_get_current_run(document);
  ms_document_remove_run(document, run);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "The run 'defaults' was deleted.");
  g_assert_cmpuint(g_list_model_get_n_items(ms_document_get_runs(document)), ==, 0);
  GtkWidget *toast = gtk_widget_get_parent(find_label_with(GTK_WIDGET(fixture.window), "was deleted"));
  gtk_button_clicked(GTK_BUTTON(find_button(toast, "_Undo")));
  g_assert_true(ms_document_get_newest_run(document) == run);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

/* The button of the toast puts back the run that the toast names, whatever tab is in front by then. */
static void
test_undo_deletion_behind(void)
{
  SET_UP(fixture);
  MsDocument *first = window_fixture_open_scene(&fixture, 60, 40);
  MsDocument *second = window_fixture_open_scene(&fixture, 50, 40);
  MsRun *run = ms_document_get_current_run(first);
  window_fixture_activate(&fixture, "previous-tab");
  ms_document_remove_run(first, run);
  GtkWidget *toast = gtk_widget_get_parent(find_label_with(GTK_WIDGET(fixture.window), "was deleted"));
  window_fixture_activate(&fixture, "next-tab");
  gtk_button_clicked(GTK_BUTTON(find_button(toast, "_Undo")));
  g_assert_true(ms_document_get_newest_run(first) == run);
  g_assert_true(ms_window_get_document(fixture.window) == first);
  g_assert_cmpuint(g_list_model_get_n_items(ms_document_get_runs(second)), ==, 1);
  /* A run that came back otherwise is not put back once more, nor one that was removed before it. */
  MsRun *other = ms_document_get_current_run(second);
  ms_document_remove_run(second, other);
  ms_document_undo_removal(second);
  gtk_button_clicked(GTK_BUTTON(find_button(toast, "_Undo")));
  g_assert_cmpuint(g_list_model_get_n_items(ms_document_get_runs(second)), ==, 1);
}

/* After two hundred moves of a slider in quick succession, only the last one is computed. */
static void
test_drag(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 400, 300);
  guint before = g_list_model_get_n_items(ms_document_get_runs(document));
  for (int i = 0; i < 200; i++) {
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sr")), 10 + i % 50);
    panel_fixture_iterate();
  }
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sr")), 24);
  gint64 start = g_get_monotonic_time();
  window_fixture_wait_idle(&fixture);
  guint runs = g_list_model_get_n_items(ms_document_get_runs(document)) - before;
  g_test_message("%u runs ended for 201 moves; the last %.0f ms after it", runs,
                 (g_get_monotonic_time() - start) / 1000.0);
  g_assert_cmpuint(runs, <, 100);
  window_fixture_assert_filtered(&fixture);
}

static void
test_close_during_run(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 400, 300);
  const MsSettings slow = slow_settings();
  ms_document_set_settings(document, &slow);
  panel_fixture_settle();
  g_assert_true(ms_document_is_busy(document));
}

/* Panels that are hidden when a tab is closed do not keep its runs, whose pictures are large. */
static void
test_close_behind(void)
{
  SET_UP(fixture);
  MsRun *run = ms_document_get_current_run(window_fixture_open_scene(&fixture, 60, 40));
  window_fixture_wait_for_rest(&fixture);
  g_object_add_weak_pointer(G_OBJECT(run), (gpointer *)&run);
  g_settings_set_string(ms_application_get_settings(fixture.application), "workspace", "lab");
  ms_window_close_tab(fixture.window);
  wait_for(30, !run);
  g_settings_reset(ms_application_get_settings(fixture.application), "workspace");
}

/* Old pictures are dropped at the memory bound, with a notice; the visible pictures are kept. */
static void
test_memory_bound(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 200, 150);
  ms_document_set_memory_bound(document, 4 * 200 * 150 * 4);
  for (int sr = 10; sr < 18; sr++) {
    MsSettings settings = *ms_document_get_settings(document);
    settings.params.sr = sr;
    ms_document_set_settings(document, &settings); /* as one choice each, not as one drag */
    window_fixture_wait_idle(&fixture);
  }
  GListModel *runs = ms_document_get_runs(document);
  guint pictures = 0;
  for (guint i = 0; i < g_list_model_get_n_items(runs); i++) {
    g_autoptr(MsRun) run = g_list_model_get_item(runs, i);
    pictures += ms_run_has_result(run);
  }
  g_assert_cmpuint(g_list_model_get_n_items(runs), ==, 9);
  g_assert_cmpuint(pictures, ==, 4);
  g_assert_true(ms_run_has_result(ms_document_get_current_run(document)));
  g_assert_true(ms_run_has_result(ms_document_get_baseline(document)));
  g_assert_nonnull(strstr(ms_window_get_message(fixture.window), "removed to save memory"));
}

typedef struct {
  gint64 start_us;
  double first_ms;
} FirstPixels;

static void
on_first_pixels(FirstPixels *first)
{
  if (first->first_ms == 0)
    first->first_ms = (g_get_monotonic_time() - first->start_us) / 1000.0;
}

/*
 * The first rows of a new sp on a full view are shown before the whole has been filtered. How long they take is
 * printed, and limited with -m perf only: it depends on what else the machine does.
 */
static void
test_first_pixels(void)
{
  FirstPixels first = {0, 0};

  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 800, 500);
  g_assert_true(ms_document_set_option(document, "sp", "9", NULL));
  window_fixture_wait_idle(&fixture);
  g_signal_connect_swapped(document, "pieces-changed", G_CALLBACK(on_first_pixels), &first);
  g_signal_connect_swapped(document, "notify::current-run", G_CALLBACK(on_first_pixels), &first);
  first.start_us = g_get_monotonic_time();
  g_assert_true(ms_document_set_option(document, "sp", "10", NULL));
  wait_for(60, first.first_ms > 0);
  wait_for(60, !ms_document_is_busy(document));
  double whole_ms = (g_get_monotonic_time() - first.start_us) / 1000.0;
  g_test_message("first pixels after %.0f ms, all of 800x500 after %.0f ms", first.first_ms, whole_ms);
  g_assert_cmpfloat(first.first_ms, <, whole_ms);
  if (g_test_perf())
    g_assert_cmpfloat(first.first_ms, <, 2000);
  g_signal_handlers_disconnect_by_data(document, &first);
}

static MsImage *
current_result(MsDocument *document)
{
  return ms_run_get_result(ms_document_get_current_run(document));
}

/* Pixels without data are left out, and colours converted by the profile of the picture, as by the command line. */
static void
test_no_data_and_profile(void)
{
  g_autoptr(GBytes) wide = ms_test_profile_wide(1.5);
  g_autoptr(MsImage) map = ms_fixture_map(160, 120, wide);
  g_autoptr(MsImage) bare = ms_image_new(160, 120, ms_image_get_bytes(map), NULL);

  SET_UP(fixture);
  g_autoptr(GFile) file = window_fixture_write(&fixture, map, "map.tif");
  window_fixture_open(&fixture, file);
  MsDocument *document = ms_window_get_document(fixture.window);
  const int step = ms_fixture_form() >= MS_TEST_CI ? 1 : 2;
  for (int space = MS_SPACE_RGB; space <= MS_SPACE_LAB; space += step) {
    MsSettings settings = *ms_document_get_settings(document);
    settings.params.space = (MsSpace)space;
    settings.params.sr = 200;
    ms_document_set_settings(document, &settings);
    window_fixture_wait_idle(&fixture);
    window_fixture_assert_filtered(&fixture);
    g_autofree char *about = ms_run_describe(ms_document_get_current_run(document));
    g_assert_cmpint(strstr(about, "Colours of unnamed") != NULL, ==, space != MS_SPACE_RGB);
    g_autoptr(MsImage) without = ms_fixture_reference(bare, &settings.params, NULL, NULL);
    g_assert_cmpint(ms_image_compare(without, current_result(document)).max_difference, >, 0);
  }
}

/* (transfer none): the control of a run in the strip */
static GtkWidget *
find_in_strip(WindowFixture *fixture, const char *before, MsRun *run, const char *after)
{
  GtkWidget *strip = find_by_type(GTK_WIDGET(fixture->window), g_type_from_name("MsRunStrip"));
  g_autofree char *name = g_strconcat(before, ms_run_get_label(run), after, NULL);

  panel_fixture_settle();
  return find_named(strip, name);
}

/* A further run leaves the keyboard's focus where it was in the strip, and a run that comes back its place. */
static void
test_strip_keeps_focus(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 120, 90);
  g_autoptr(MsRun) first = g_object_ref(ms_document_get_current_run(document));
  GtkWidget *toggle = find_in_strip(&fixture, "", first, " as A");
  gtk_widget_grab_focus(toggle);
  g_assert_true(ms_document_set_option(document, "sp", "4", NULL));
  window_fixture_wait_idle(&fixture);
  g_assert_nonnull(find_in_strip(&fixture, "Thumbnail of ", ms_document_get_current_run(document), ""));
  g_assert_true(gtk_window_get_focus(GTK_WINDOW(fixture.window)) == toggle);
  ms_document_remove_run(document, first);
  g_assert_null(find_in_strip(&fixture, "Thumbnail of ", first, ""));
  ms_document_undo_removal(document);
  GtkWidget *item = gtk_widget_get_parent(gtk_widget_get_parent(find_in_strip(&fixture, "", first, " as B")));
  int place;
  gtk_container_child_get(GTK_CONTAINER(gtk_widget_get_parent(item)), item, "position", &place, NULL);
  g_assert_cmpint(place, ==, 0);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window/cancel", test_cancel);
  g_test_add_func("/window/undo-deletion", test_undo_deletion);
  g_test_add_func("/window/undo-deletion-behind", test_undo_deletion_behind);
  g_test_add_func("/window/drag", test_drag);
  g_test_add_func("/window/close-during-run", test_close_during_run);
  g_test_add_func("/window/close-behind", test_close_behind);
  g_test_add_func("/window/memory-bound", test_memory_bound);
  g_test_add_func("/window/no-data-and-profile", test_no_data_and_profile);
  g_test_add_func("/window/first-pixels", test_first_pixels);
  g_test_add_func("/window-runs/strip-keeps-focus", test_strip_keeps_focus);
  return window_fixture_run();
}
