/* SPDX-License-Identifier: MIT */
/* The layout: what is in sight at 1280x800, how a window of 900x600 folds, and which sizes are remembered. */
#include "tests/gui/window-fixture.h"
#include "ui/document/document.h"
#include "ui/window/window.h"

static GtkWidget *
side_panel(WindowFixture *fixture)
{
  return find_by_type(GTK_WIDGET(fixture->window), g_type_from_name("MsOptionsPanel"));
}

static void
resize(WindowFixture *fixture, int width, int height)
{
  int now_width = 0, now_height = 0;

  gtk_window_resize(GTK_WINDOW(fixture->window), width, height);
  wait_for(60, (gtk_window_get_size(GTK_WINDOW(fixture->window), &now_width, &now_height), now_width == width));
  panel_fixture_settle();
}

/* Whether all of @widget is in sight within the scrolled window around it. */
static gboolean
is_in_sight(GtkWidget *widget)
{
  GtkWidget *scrolled = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
  int x, y;

  return gtk_widget_get_mapped(widget) && gtk_widget_translate_coordinates(widget, scrolled, 0, 0, &x, &y) && y >= 0 &&
         y + gtk_widget_get_allocated_height(widget) <= gtk_widget_get_allocated_height(scrolled);
}

/* Sliders stand on one line of 34 pixels, rarer parameters in a fold, and all toggles are in sight. */
static void
test_all_toggles_in_sight(void)
{
  static const char *const shown[] = {"sp",     "sr",     "max-iterations", "memory", "local-memory",
                                      "unroll", "access", "work-group",     "kernel", "schedule"};
  static const char *const folded[] = {"epsilon", "rule", "levels", "space"};

  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 120, 90);
  resize(&fixture, 1280, 780);
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    GtkWidget *row = window_fixture_row(&fixture, shown[i]);
    g_test_message("%s: %d pixels high", shown[i], gtk_widget_get_allocated_height(row));
    g_assert_true(is_in_sight(row));
    if (i < 3)
      g_assert_cmpint(gtk_widget_get_allocated_height(row), <=, 34);
  }
  for (guint i = 0; i < G_N_ELEMENTS(folded); i++)
    g_assert_false(is_in_sight(window_fixture_row(&fixture, folded[i])) &&
                   gtk_widget_get_child_visible(gtk_widget_get_parent(window_fixture_row(&fixture, folded[i]))));
  GtkWidget *fold = find_by_type(side_panel(&fixture), GTK_TYPE_EXPANDER);
  gtk_expander_set_expanded(GTK_EXPANDER(fold), TRUE);
  panel_fixture_settle();
  for (guint i = 0; i < G_N_ELEMENTS(folded); i++)
    g_assert_true(gtk_widget_get_mapped(window_fixture_row(&fixture, folded[i])));
  g_assert_true(ms_document_set_option(ms_window_get_document(fixture.window), "rule", "truncate", NULL));
  panel_fixture_settle();
  g_assert_cmpstr(gtk_expander_get_label(GTK_EXPANDER(fold)), ==, "_Advanced · Rule truncate");
}

/* What a screen reader hears of a slider is the number, not the position. */
static void
test_spoken_number(void)
{
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 64, 48);
  GtkWidget *slider = find_by_type(window_fixture_row(&fixture, "sr"), GTK_TYPE_SCALE);
  AtkValue *value = ATK_VALUE(gtk_widget_get_accessible(slider));
  g_autofree char *text = NULL;
  double number;
  atk_value_get_value_and_text(value, &number, &text);
  g_assert_cmpfloat(number, ==, 20);
  g_assert_cmpstr(text, ==, "20");
  AtkRange *range = atk_value_get_range(value);
  g_assert_cmpfloat(atk_range_get_upper_limit(range), ==, MS_SR_USEFUL_MAX);
  atk_range_free(range);
  atk_value_set_value(value, 45);
  g_assert_cmpfloat(ms_document_get_settings(ms_window_get_document(fixture.window))->params.sr, ==, 45);
}

/* In a window of 900 pixels the side panel is a button, and the panels below are one page with a switcher. */
static void
test_narrow(void)
{
  int width;

  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 400, 300);
  GtkWidget *panel = side_panel(&fixture);
  resize(&fixture, 1280, 780);
  wait_for(20, gtk_widget_get_mapped(panel));
  GtkWidget *overview = find_named(GTK_WIDGET(fixture.window), "Open Histogram");
  g_settings_set_string(ms_application_get_settings(fixture.application), "bottom-page", "overview");
  panel_fixture_settle();
  wait_for(20, gtk_widget_get_mapped(overview));
  resize(&fixture, 900, 600);
  wait_for(20, !gtk_widget_get_mapped(panel));
  wait_for(20, !gtk_widget_get_mapped(overview));
  GtkWidget *button = find_named(GTK_WIDGET(fixture.window), "Settings");
  wait_for(20, gtk_widget_get_mapped(button));
  gtk_button_clicked(GTK_BUTTON(button));
  panel_fixture_settle();
  wait_for(20, gtk_widget_get_mapped(panel));

  /* Even while it filters, with its progress in the bar below the picture, the window does not grow. */
  MsDocument *document = ms_window_get_document(fixture.window);
  MsSettings slow = ms_settings_default();
  slow.options.memory = MS_MEMORY_IMAGE;
  slow.params.sp = 60;
  slow.params.max_iterations = 60;
  ms_document_set_settings(document, &slow);
  GtkWidget *cancel = find_button(GTK_WIDGET(fixture.window), "_Cancel");
  wait_for(60, gtk_widget_get_mapped(cancel) || !ms_document_is_busy(document));
  panel_fixture_settle();
  gtk_window_get_size(GTK_WINDOW(fixture.window), &width, NULL);
  g_assert_cmpint(width, ==, 900);
  wait_for(20, gtk_widget_get_mapped(panel));
  ms_document_cancel(document);
  wait_for(60, !ms_document_is_busy(document));
  resize(&fixture, 1280, 780);
  wait_for(20, gtk_widget_get_mapped(panel));
  wait_for(20, gtk_widget_get_mapped(overview));
  wait_for(20, !gtk_widget_get_mapped(button));
}

/* In the workspace Lab, the list on the left and the results */
static GtkPaned *
show_lab(WindowFixture *fixture)
{
  window_fixture_activate(fixture, "workspace::lab");
  panel_fixture_settle();
  GtkWidget *panel = find_by_type(GTK_WIDGET(fixture->window), g_type_from_name("MsExperimentPanel"));
  return GTK_PANED(find_by_type(panel, GTK_TYPE_PANED));
}

/*
 * The list of experiments takes its share of a wide window and its least width in a narrow one, and keeps what a person
 * sets.
 */
static void
test_list_of_experiments(void)
{
  SET_UP(fixture);
  g_settings_set_string(ms_application_get_settings(fixture.application), "lab-page", "experiments");
  resize(&fixture, 1280, 780);
  g_assert_cmpint(gtk_paned_get_position(show_lab(&fixture)), >=, 384);
  window_fixture_activate(&fixture, "workspace::picture");
  resize(&fixture, 900, 600);
  GtkPaned *paned = show_lab(&fixture);
  g_assert_cmpint(gtk_paned_get_position(paned), ==, 330);
  gtk_paned_set_position(paned, 300);
  window_fixture_activate(&fixture, "workspace::picture");
  panel_fixture_settle();
  g_assert_cmpint(gtk_paned_get_position(show_lab(&fixture)), ==, 300);
  window_fixture_activate(&fixture, "workspace::picture");
  resize(&fixture, 1280, 780);
}

/* A window that was too small for its panels decides their sizes neither once there is room nor in the next session. */
static void
test_clipped_start(void)
{
  SET_UP(fixture);
  GSettings *settings = ms_application_get_settings(fixture.application);
  GdkEvent *event = gdk_event_new(GDK_DELETE);
  gboolean handled;
  window_fixture_open_scene(&fixture, 120, 90);
  resize(&fixture, 1280, 780);
  wait_for(20,
           gtk_widget_get_mapped(side_panel(&fixture)) && gtk_widget_get_allocated_width(side_panel(&fixture)) >= 320);
  const int side = gtk_widget_get_allocated_width(side_panel(&fixture));
  g_assert_cmpint(side, >=, 320);
  resize(&fixture, 1010, 400);
  g_signal_emit_by_name(fixture.window, "delete-event", event, &handled);
  gdk_event_free(event);
  g_assert_cmpint(g_settings_get_int(settings, "window-width"), ==, 1010);
  g_assert_null(g_settings_get_user_value(settings, "side-panel-width"));
  g_assert_null(g_settings_get_user_value(settings, "bottom-panel-height"));
  resize(&fixture, 1280, 780);
  g_assert_cmpint(gtk_widget_get_allocated_width(side_panel(&fixture)), ==, side);
  g_settings_reset(settings, "window-width");
  g_settings_reset(settings, "window-height");
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window-layout/all-toggles-in-sight", test_all_toggles_in_sight);
  g_test_add_func("/window-layout/spoken-number", test_spoken_number);
  g_test_add_func("/window-layout/narrow", test_narrow);
  g_test_add_func("/window-layout/list-of-experiments", test_list_of_experiments);
  g_test_add_func("/window-layout/clipped-start", test_clipped_start);
  return window_fixture_run();
}
