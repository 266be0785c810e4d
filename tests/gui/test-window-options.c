/* SPDX-License-Identifier: MIT */
/* The side panel: every control of every option, refused values, and resetting. */
#include <math.h>
#include <string.h>

#include "core/option/option.h"
#include "tests/gui/window-fixture.h"
#include "tests/support/fixture.h"
#include "ui/document/document.h"
#include "ui/options/options-panel.h"
#include "ui/window/window.h"

static void
test_numbers(void)
{
  static const struct {
    const char *option;
    double value;
  } cases[] = {{"sp", 6}, {"sp", 2.5}, {"sr", 45}, {"max-iterations", 2}, {"epsilon", 12}};

  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 120, 90);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, cases[i].option)), cases[i].value);
    window_fixture_wait_idle(&fixture);
    window_fixture_assert_filtered(&fixture);
  }
  GtkWidget *emptied = window_fixture_spin(&fixture, "sp");
  gtk_entry_set_text(GTK_ENTRY(emptied), "");
  gtk_spin_button_update(GTK_SPIN_BUTTON(emptied));
  g_assert_cmpstr(gtk_entry_get_text(GTK_ENTRY(emptied)), ==, "2.50");
  g_assert_cmpfloat(ms_document_get_settings(ms_window_get_document(fixture.window))->params.sp, ==, 2.5);
}

/* The slider and the spin button of an option are one value. */
static void
test_slider_follows(void)
{
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 64, 48);
  GtkWidget *spin = window_fixture_spin(&fixture, "sr");
  GtkRange *scale = GTK_RANGE(find_by_type(window_fixture_row(&fixture, "sr"), GTK_TYPE_SCALE));
  /*
   * The position of the slider is the fourth root of the share of the range, so that small radii can be set precisely.
   */
  double range = MS_SR_USEFUL_MAX - MS_SR_MIN;
  gtk_range_set_value(scale, pow((33 - MS_SR_MIN) / range, 0.25));
  window_fixture_wait_idle(&fixture);
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(spin)), ==, 33);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), 12);
  window_fixture_wait_idle(&fixture);
  g_assert_cmpfloat_with_epsilon(gtk_range_get_value(scale), pow((12 - MS_SR_MIN) / range, 0.25), 1e-9);
  g_assert_cmpfloat(pow((60 - MS_SR_MIN) / range, 0.25), >, 0.5);
  GtkRange *radius = GTK_RANGE(find_by_type(window_fixture_row(&fixture, "sp"), GTK_TYPE_SCALE));
  gtk_range_set_value(radius, 3.4);
  window_fixture_wait_idle(&fixture);
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sp"))), ==, 3);
  window_fixture_assert_filtered(&fixture);
}

typedef struct {
  const char *value;
  GtkWidget *found;
} ButtonSearch;

static void
search_button(GtkWidget *widget, gpointer data)
{
  ButtonSearch *search = data;

  if (GTK_IS_RADIO_BUTTON(widget) && strcmp(gtk_widget_get_name(widget), search->value) == 0)
    search->found = widget;
  if (GTK_IS_MENU_BUTTON(widget) && gtk_menu_button_get_popover(GTK_MENU_BUTTON(widget)))
    search_button(GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(widget))), data);
  else if (GTK_IS_CONTAINER(widget))
    gtk_container_forall(GTK_CONTAINER(widget), search_button, data);
}

static GtkWidget *
choice_button(WindowFixture *fixture, const char *option, const char *value)
{
  ButtonSearch search = {value, NULL};

  search_button(window_fixture_row(fixture, option), &search);
  g_assert_nonnull(search.found);
  return search.found;
}

static void
try_choice(WindowFixture *fixture, const MsOptionInfo *option, const char *value)
{
  MsDocument *document = ms_window_get_document(fixture->window);
  GtkWidget *button = choice_button(fixture, option->name, value);
  g_autofree char *refusal = ms_document_option_refusal(document, option, value);
  g_autofree char *tooltip = gtk_widget_get_tooltip_text(button);
  g_autofree char *shown = NULL;

  if (refusal) {
    g_assert_false(gtk_widget_get_sensitive(button));
    g_assert_cmpstr(tooltip, ==, refusal);
    return;
  }
  g_assert_true(gtk_widget_get_sensitive(button));
  g_assert_true(tooltip && g_str_has_prefix(tooltip, ms_option_tooltip(option)));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
  window_fixture_wait_idle(fixture);
  shown = ms_option_get_text(option, ms_document_get_settings(document));
  g_assert_cmpstr(shown, ==, value);
  window_fixture_assert_filtered(fixture);
}

static void
search_tooltip(GtkWidget *widget, gpointer data)
{
  ButtonSearch *search = data;
  g_autofree char *tooltip = gtk_widget_get_tooltip_text(widget);

  if (g_strcmp0(tooltip, search->value) == 0)
    search->found = widget;
  if (GTK_IS_CONTAINER(widget))
    gtk_container_forall(GTK_CONTAINER(widget), search_tooltip, data);
}

/* The time that is told is that of the typed number until another one is set, and of each picture. */
static void
test_cost(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 90, 70);
  GtkWidget *panel = find_by_type(GTK_WIDGET(fixture.window), MS_TYPE_OPTIONS_PANEL);
  GtkWidget *spin = window_fixture_spin(&fixture, "sp");
  g_assert_nonnull(find_label_with(panel, "These settings take about"));
  gtk_widget_grab_focus(spin);
  gtk_entry_set_text(GTK_ENTRY(spin), "6");
  g_assert_nonnull(find_label_with(panel, "Spatial radius 6 takes about"));
  g_assert_true(ms_document_set_option(document, "sp", "12", NULL)); /* as the slider does */
  window_fixture_wait_idle(&fixture);
  g_assert_null(find_label_with(panel, "Spatial radius 6"));
  g_assert_nonnull(find_label_with(panel, "These settings take about"));
  gtk_entry_set_text(GTK_ENTRY(spin), "6");
  g_assert_nonnull(find_label_with(panel, "Spatial radius 6 takes about"));
  window_fixture_open_scene(&fixture, 50, 40);
  g_assert_null(find_label_with(panel, "Spatial radius 6"));
}

/* Each row of the options has a tooltip that explains the option. */
static void
test_tooltips(void)
{
  const MsOptionInfo *table = ms_options.rows;

  SET_UP(fixture);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    ButtonSearch search = {ms_option_tooltip(&table[i]), NULL};
    search_tooltip(window_fixture_row(&fixture, table[i].name), &search);
    if (!search.found)
      g_error("The row of --%s has no tooltip.", table[i].name);
  }
}

/*
 * Every value of every choice either runs and gives the reference's picture, or is greyed out with the plan's reason.
 * The suite takes the last one of each.
 */
static void
test_every_choice(void)
{
  const MsOptionInfo *table = ms_options.rows;

  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 90, 70);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    if (table[i].kind != MS_OPTION_CHOICE)
      continue;
    for (guint v = 0; table[i].values[v]; v++)
      if (!table[i].values[v + 1] || ms_fixture_form() >= MS_TEST_CI)
        try_choice(&fixture, &table[i], table[i].values[v]);
    window_fixture_activate(&fixture, "reset");
    window_fixture_wait_idle(&fixture);
  }
}

static void
test_shapes(void)
{
  const MsOptionInfo *option = ms_option_find("work-group");

  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 90, 70);
  g_assert_true(ms_document_set_option(document, "kernel", "direct", NULL));
  window_fixture_wait_idle(&fixture);
  try_choice(&fixture, option, "16x8");

  GtkWidget *entry = find_by_type(window_fixture_row(&fixture, "work-group"), GTK_TYPE_ENTRY);
  gtk_entry_set_text(GTK_ENTRY(entry), "4x32");
  gtk_widget_activate(entry);
  window_fixture_wait_idle(&fixture);
  window_fixture_assert_filtered(&fixture);
  g_assert_cmpint(ms_document_get_settings(document)->options.work_group_height, ==, 32);

  /* A value that cannot run is refused, with the reason below the field. */
  gtk_entry_set_text(GTK_ENTRY(entry), "60000x60000");
  gtk_widget_activate(entry);
  g_assert_cmpint(ms_document_get_settings(document)->options.work_group_height, ==, 32);
  g_assert_nonnull(find_label_with(window_fixture_row(&fixture, "work-group"), "too large"));
}

static void
test_undo(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 80, 60);
  MsSettings before = *ms_document_get_settings(document);
  g_assert_false(g_action_group_get_action_enabled(G_ACTION_GROUP(fixture.window), "undo"));
  /* A drag of one slider is one undo step. */
  for (int sp = 3; sp <= 9; sp++)
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sp")), sp);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sr")), 31);
  window_fixture_wait_idle(&fixture);
  MsSettings after = *ms_document_get_settings(document);
  window_fixture_activate(&fixture, "undo");
  window_fixture_activate(&fixture, "undo");
  window_fixture_wait_idle(&fixture);
  g_assert_true(ms_settings_equal(&before, ms_document_get_settings(document)));
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sp"))), ==,
                    before.params.sp);
  window_fixture_assert_filtered(&fixture);
  window_fixture_activate(&fixture, "redo");
  window_fixture_activate(&fixture, "redo");
  window_fixture_wait_idle(&fixture);
  g_assert_true(ms_settings_equal(&after, ms_document_get_settings(document)));
  g_assert_false(g_action_group_get_action_enabled(G_ACTION_GROUP(fixture.window), "redo"));
}

static void
test_devices(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 60, 40);
  GtkWidget *image_button = choice_button(&fixture, "memory", "image");

  ms_window_engine_choose(fixture.engine, MS_ENGINE_REFERENCE);
  wait_for(30, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_READY);
  window_fixture_wait_idle(&fixture);
  window_fixture_assert_filtered(&fixture);
  g_assert_null(ms_run_get_device(ms_document_get_current_run(document)));
  g_assert_false(gtk_widget_get_sensitive(image_button));

  ms_window_engine_choose(fixture.engine, "a device that nobody has");
  wait_for(30, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_FAILED);
  g_assert_nonnull(strstr(ms_window_get_message(fixture.window), "a device that nobody has"));
  g_assert_true(gtk_widget_get_visible(find_button(GTK_WIDGET(fixture.window), "Choose _Device")));
  window_fixture_activate(&fixture, "use-processor");
  wait_for(30, ms_window_engine_get_state(fixture.engine) == MS_WINDOW_ENGINE_READY);
  g_assert_true(ms_document_set_option(document, "sr", "13", NULL));
  window_fixture_wait_idle(&fixture);
  window_fixture_assert_filtered(&fixture);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window/numbers", test_numbers);
  g_test_add_func("/window/slider-follows", test_slider_follows);
  g_test_add_func("/window/cost", test_cost);
  g_test_add_func("/window/tooltips", test_tooltips);
  g_test_add_func("/window/every-choice", test_every_choice);
  g_test_add_func("/window/shapes", test_shapes);
  g_test_add_func("/window/undo", test_undo);
  g_test_add_func("/window/devices", test_devices);
  return window_fixture_run();
}
