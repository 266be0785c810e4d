/* SPDX-License-Identifier: MIT */
/* The layout: what is in sight at 1280x800, how a narrow window folds, and that nothing is cut at any size. */
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

/* Whether @widget is within something that scrolls, whose contents may be larger than it. */
static gboolean
scrolls(GtkWidget *widget, GtkOrientation orientation)
{
  GtkWidget *parent = gtk_widget_get_parent(widget);
  GtkWidget *scrolled = parent ? gtk_widget_get_ancestor(parent, GTK_TYPE_SCROLLED_WINDOW) : NULL;
  GtkPolicyType across, down;

  if (!scrolled)
    return FALSE;
  gtk_scrolled_window_get_policy(GTK_SCROLLED_WINDOW(scrolled), &across, &down);
  return (orientation == GTK_ORIENTATION_HORIZONTAL ? across : down) == GTK_POLICY_AUTOMATIC ||
         scrolls(scrolled, orientation);
}

typedef struct {
  GtkWidget *window;
  int width;
  int height;
  guint n_cut;
} Sizes;

static void
check_inside(GtkWidget *widget, Sizes *sizes)
{
  const int width = gtk_widget_get_allocated_width(widget), height = gtk_widget_get_allocated_height(widget);
  int x, y;

  gtk_widget_translate_coordinates(widget, sizes->window, 0, 0, &x, &y);
  if ((!scrolls(widget, GTK_ORIENTATION_HORIZONTAL) && (x < 0 || x + width > sizes->width)) ||
      (!scrolls(widget, GTK_ORIENTATION_VERTICAL) && (y < 0 || y + height > sizes->height))) {
    sizes->n_cut++;
    g_test_message("%s %s at %d,%d of %dx%d is outside of a window of %dx%d", G_OBJECT_TYPE_NAME(widget),
                   gtk_widget_get_name(widget), x, y, width, height, sizes->width, sizes->height);
  }
}

/* What lies around an allocation but counts as needed */
static GtkBorder
border_of(GtkWidget *widget)
{
  const gint16 border =
    GTK_IS_CONTAINER(widget) ? (gint16)gtk_container_get_border_width(GTK_CONTAINER(widget)) : (gint16)0;

  return (GtkBorder){
    (gint16)(border + gtk_widget_get_margin_start(widget)), (gint16)(border + gtk_widget_get_margin_end(widget)),
    (gint16)(border + gtk_widget_get_margin_top(widget)), (gint16)(border + gtk_widget_get_margin_bottom(widget))};
}

static void
check_size(GtkWidget *widget, Sizes *sizes)
{
  const GtkBorder border = border_of(widget);
  const int width = gtk_widget_get_allocated_width(widget) + border.left + border.right;
  const int height = gtk_widget_get_allocated_height(widget) + border.top + border.bottom;
  int needs_width, needs_height;

  gtk_widget_get_preferred_width(widget, &needs_width, NULL);
  gtk_widget_get_preferred_height_for_width(widget, width, &needs_height, NULL);
  if (width < needs_width || height < needs_height) {
    sizes->n_cut++;
    g_test_message("%s %s of %dx%d needs %dx%d in a window of %dx%d", G_OBJECT_TYPE_NAME(widget),
                   GTK_IS_LABEL(widget) ? gtk_label_get_text(GTK_LABEL(widget)) : gtk_widget_get_name(widget), width,
                   height, needs_width, needs_height, sizes->width, sizes->height);
  }
}

static gboolean
is_folded_away(GtkWidget *widget)
{
  GtkWidget *parent = gtk_widget_get_parent(widget);

  return GTK_IS_EXPANDER(parent) && !gtk_expander_get_expanded(GTK_EXPANDER(parent)) &&
         gtk_bin_get_child(GTK_BIN(parent)) == widget;
}

/* Counts what has less room than it needs, or is outside of the window; what scrolls its own contents needs none. */
static void
check_whole(GtkWidget *widget, gpointer sizes)
{
  if (!gtk_widget_get_mapped(widget) || is_folded_away(widget) || GTK_IS_WINDOW(widget) || GTK_IS_POPOVER(widget))
    return;
  if (!GTK_IS_SCROLLABLE(widget))
    check_size(widget, sizes);
  check_inside(widget, sizes);
  if (GTK_IS_CONTAINER(widget) && !GTK_IS_TREE_VIEW(widget))
    gtk_container_forall(GTK_CONTAINER(widget), check_whole, sizes);
}

/* No panel is cut at any size, whatever size came before, with the details open and closed. */
static void
test_sizes(void)
{
  SET_UP(fixture);
  GSettings *settings = ms_application_get_settings(fixture.application);
  g_autoptr(GRand) random = g_rand_new_with_seed(47);
  window_fixture_open_scene(&fixture, 400, 300);
  for (guint i = 0; i < 40; i++) {
    Sizes sizes = {GTK_WIDGET(fixture.window), 800, 600, 0};
    if (i % 4 > 0) {
      sizes.width = g_rand_int_range(random, 800, 1500);
      sizes.height = g_rand_int_range(random, 600, 1000);
    }
    g_settings_set_boolean(settings, "details", i % 3 == 0);
    resize(&fixture, sizes.width, sizes.height);
    int width, height;
    gtk_window_get_size(GTK_WINDOW(fixture.window), &width, &height);
    g_assert_cmpint(width, ==, sizes.width);
    g_assert_cmpint(height, ==, sizes.height);
    sizes.width = gtk_widget_get_allocated_width(sizes.window);
    sizes.height = gtk_widget_get_allocated_height(sizes.window);
    gtk_container_forall(GTK_CONTAINER(fixture.window), check_whole, &sizes);
    g_assert_cmpuint(sizes.n_cut, ==, 0);
  }
  g_settings_reset(settings, "details");
}

/* Which sides a window of that width shows */
static void
check_sides(WindowFixture *fixture, int width, gboolean left, gboolean right)
{
  GtkWidget *figures = find_named(GTK_WIDGET(fixture->window), "Open Histogram");

  resize(fixture, width, 600);
  g_test_message("%d pixels", width);
  g_assert_cmpint(gtk_widget_get_mapped(figures), ==, left);
  g_assert_cmpint(gtk_widget_get_mapped(side_panel(fixture)), ==, right);
}

static void
press_button(WindowFixture *fixture, const char *name)
{
  GtkWidget *strip = find_by_type(GTK_WIDGET(fixture->window), g_type_from_name("MsRunStrip"));
  GtkWidget *button = find_named(gtk_widget_get_parent(strip), name);

  g_assert_true(gtk_widget_get_mapped(button));
  gtk_button_clicked(GTK_BUTTON(button));
  panel_fixture_settle();
}

/* Narrow windows fold the left side, narrower ones both; one side can be had in each, and the wide one is as it was. */
static void
test_narrow(void)
{
  int width;

  SET_UP(fixture);
  GSettings *settings = ms_application_get_settings(fixture.application);
  window_fixture_open_scene(&fixture, 400, 300);
  check_sides(&fixture, 1280, TRUE, TRUE);
  check_sides(&fixture, 1099, FALSE, TRUE);
  press_button(&fixture, "Figures");
  check_sides(&fixture, 1000, TRUE, FALSE);
  check_sides(&fixture, 1100, TRUE, TRUE);
  check_sides(&fixture, 799, FALSE, FALSE);
  press_button(&fixture, "Settings");
  check_sides(&fixture, 790, FALSE, TRUE);
  press_button(&fixture, "Figures");
  check_sides(&fixture, 790, TRUE, FALSE);
  press_button(&fixture, "Figures");
  check_sides(&fixture, 790, FALSE, FALSE);
  g_assert_true(g_settings_get_boolean(settings, "left-panel") && g_settings_get_boolean(settings, "side-panel"));

  /* Where there is room, what is hidden stays hidden. */
  check_sides(&fixture, 1280, TRUE, TRUE);
  window_fixture_activate(&fixture, "left-panel");
  check_sides(&fixture, 1000, FALSE, TRUE);
  check_sides(&fixture, 1280, FALSE, TRUE);
  g_settings_reset(settings, "left-panel");

  /* Even while it filters, with its progress in the bar below the picture, the window does not grow. */
  check_sides(&fixture, 800, FALSE, TRUE);
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
  g_assert_cmpint(width, ==, 800);
  ms_document_cancel(document);
  wait_for(60, !ms_document_is_busy(document));
  resize(&fixture, 1280, 780);
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

/* The details are closed at first and open with the next window when they were left open. */
static void
test_details(void)
{
  SET_UP(fixture);
  GSettings *settings = ms_application_get_settings(fixture.application);
  window_fixture_open_scene(&fixture, 120, 90);
  resize(&fixture, 1280, 780);
  GtkWidget *tree = find_named(GTK_WIDGET(fixture.window), "Stages and kernels of the last run");
  g_assert_true(!tree || !gtk_widget_get_mapped(tree));
  gtk_button_clicked(GTK_BUTTON(find_named(GTK_WIDGET(fixture.window), "Open Statistics")));
  panel_fixture_settle();
  g_assert_true(g_settings_get_boolean(settings, "details"));
  g_assert_true(gtk_widget_get_mapped(find_named(GTK_WIDGET(fixture.window), "Statistics of both pictures")));
  press_button(&fixture, "Details");
  g_assert_false(g_settings_get_boolean(settings, "details"));

  /* A window that was too small does not decide the height. */
  press_button(&fixture, "Details");
  resize(&fixture, 800, 600);
  GdkEvent *event = gdk_event_new(GDK_DELETE);
  gboolean handled;
  g_signal_emit_by_name(fixture.window, "delete-event", event, &handled);
  gdk_event_free(event);
  g_assert_cmpint(g_settings_get_int(settings, "window-width"), ==, 800);
  g_assert_null(g_settings_get_user_value(settings, "details-height"));
  g_settings_reset(settings, "window-width");
  g_settings_reset(settings, "window-height");
  g_settings_reset(settings, "details");
  g_settings_reset(settings, "details-page");
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window-layout/all-toggles-in-sight", test_all_toggles_in_sight);
  g_test_add_func("/window-layout/spoken-number", test_spoken_number);
  g_test_add_func("/window-layout/narrow", test_narrow);
  g_test_add_func("/window-layout/list-of-experiments", test_list_of_experiments);
  g_test_add_func("/window-layout/sizes", test_sizes);
  g_test_add_func("/window-layout/details", test_details);
  return window_fixture_run();
}
