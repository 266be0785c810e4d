/* SPDX-License-Identifier: MIT */
#include "tests/gui/panel-fixture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tests/support/fixture.h"
#include "ui/document/document.h"
#include "ui/panels/common/panel.h"

#define PICTURE_WIDTH 160
#define PICTURE_HEIGHT 120

/* How long the main loop may wait for an event, since what a test waits for need not be one. */
#define LONGEST_TURN_MS 10

static gboolean
on_turn_over(gpointer is_over)
{
  *(gboolean *)is_over = TRUE;
  return G_SOURCE_CONTINUE;
}

/** panel_fixture_iterate: runs one turn of the main loop. */
void
panel_fixture_iterate(void)
{
  gboolean is_over = FALSE;
  const guint timer = g_timeout_add(LONGEST_TURN_MS, on_turn_over, &is_over);

  g_main_context_iteration(NULL, TRUE);
  g_source_remove(timer);
}

static gboolean
on_idle(gpointer is_idle)
{
  *(gboolean *)is_idle = TRUE;
  return G_SOURCE_REMOVE;
}

/* An idle source has a lower priority than a panel's refresh and a frame, so both are done when it is called. */
static void
handle_what_waits(void)
{
  gboolean is_idle = FALSE;

  g_idle_add(on_idle, &is_idle);
  while (!is_idle)
    panel_fixture_iterate();
}

static void
on_painted(GdkFrameClock *clock, gpointer is_painted)
{
  *(gboolean *)is_painted = TRUE;
}

/* Waits until a window has been laid out and painted, or is hidden. */
static void
wait_for_frame(gpointer window, gpointer unused)
{
  GtkWidget *self = window;
  GdkFrameClock *clock = gtk_widget_get_mapped(self) ? gtk_widget_get_frame_clock(self) : NULL;
  gboolean is_painted = FALSE;

  if (!clock)
    return;
  g_object_ref(clock);
  const gulong handler = g_signal_connect(clock, "after-paint", G_CALLBACK(on_painted), &is_painted);
  gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT);
  while (!is_painted && gtk_widget_get_mapped(self))
    panel_fixture_iterate();
  g_signal_handler_disconnect(clock, handler);
  g_object_unref(clock);
}

static gpointer
hold_window(gconstpointer window, gpointer unused)
{
  return g_object_ref((gpointer)window);
}

/** panel_fixture_settle: runs the main loop until all windows have shown what was changed, or have gone meanwhile. */
void
panel_fixture_settle(void)
{
  for (int round = 0; round < 3; round++) {
    g_autoptr(GList) listed = gtk_window_list_toplevels();
    GList *windows = g_list_copy_deep(listed, hold_window, NULL);
    gdk_display_sync(gdk_display_get_default());
    g_list_foreach(windows, wait_for_frame, NULL);
    g_list_free_full(windows, g_object_unref);
    handle_what_waits();
  }
}

static void
on_problem(MsDocument *document, GError *error, gpointer data)
{
  g_test_message("problem: %s", error->message);
}

/**
 * panel_fixture_set_up:
 *
 * Returns: %FALSE with the test skipped (failed where CI is set) where there is no OpenCL device
 */
gboolean
panel_fixture_set_up(PanelFixture *self, GType panel_type)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) scene = NULL;

  *self = (PanelFixture){NULL};
  if (!context)
    return FALSE;
  scene = ms_fixture_scene(PICTURE_WIDTH, PICTURE_HEIGHT, 7);
  self->engine = ms_window_engine_new();
  ms_window_engine_set_watchdog(self->engine, 0); /* a slow machine must not count as a hung device */
  ms_window_engine_choose(self->engine, context->device->address);
  wait_for(60, ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_READY);
  self->document = ms_document_new(self->engine, scene, NULL, "scene.png");
  g_signal_connect(self->document, "problem", G_CALLBACK(on_problem), NULL);
  ms_document_set_live(self->document, FALSE);
  self->window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  self->panel = g_object_new(panel_type, "visible", TRUE, NULL);
  if (MS_IS_PANEL(self->panel))
    g_signal_connect(self->panel, "problem", G_CALLBACK(on_problem), NULL);
  gtk_container_add(GTK_CONTAINER(self->window), self->panel);
  gtk_window_set_default_size(GTK_WINDOW(self->window), 1180, 420);
  g_object_set(self->panel, "document", self->document, NULL);
  gtk_widget_show(self->window);
  panel_fixture_settle();
  return TRUE;
}

void
panel_fixture_tear_down(PanelFixture *self)
{
  if (!self->engine)
    return;
  gtk_widget_destroy(self->window);
  panel_fixture_settle();
  ms_document_cancel(self->document);
  wait_for(60, !ms_document_is_busy(self->document));
  ms_window_engine_shut_down(self->engine);
  g_object_add_weak_pointer(G_OBJECT(self->document), (gpointer *)&self->document);
  g_object_unref(self->document);
  panel_fixture_settle();
  g_assert_null(self->document); /* the panel has dropped its reference */
  g_clear_object(&self->engine);
}

/** panel_fixture_show_empty: shows a panel without a document, checks its accessible names, and closes it. */
void
panel_fixture_show_empty(GType panel_type)
{
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget *panel = g_object_new(panel_type, "visible", TRUE, NULL);

  gtk_container_add(GTK_CONTAINER(window), panel);
  gtk_widget_show(window);
  panel_fixture_settle();
  assert_accessible_names(panel);
  gtk_widget_destroy(window);
}

/** panel_fixture_filter: (transfer none): sets an option (unless NULL), filters and waits for the run. */
MsRun *
panel_fixture_filter(PanelFixture *self, const char *option, const char *value)
{
  MsRun *before = ms_document_get_current_run(self->document);
  MsSettings settings = *ms_document_get_settings(self->document);
  g_autoptr(GError) error = NULL;

  if (option && !ms_option_set_text(ms_option_find(option), &settings, value, &error))
    g_error("%s", error->message);
  /* Without a control's name, so that the changes are separate steps and runs. */
  ms_document_set_settings(self->document, &settings);
  ms_document_request_filter(self->document);
  wait_for(120, ms_document_get_current_run(self->document) != before && !ms_document_is_busy(self->document));
  panel_fixture_settle();
  return ms_document_get_current_run(self->document);
}

/** panel_fixture_screenshot: into the folder MS_TEST_ARTEFACTS; nothing where that is not set. */
void
panel_fixture_screenshot(PanelFixture *self, const char *name)
{
  const char *folder = g_getenv("MS_TEST_ARTEFACTS");
  GdkWindow *window = gtk_widget_get_window(self->window);

  if (!folder)
    return;
  panel_fixture_settle();
  g_mkdir_with_parents(folder, 0755);
  int scale = gdk_window_get_scale_factor(window);
  int width = gdk_window_get_width(window), height = gdk_window_get_height(window);
  g_autofree char *path = g_strdup_printf("%s/%s%s.png", folder, name, scale > 1 ? "-200" : "");
  g_autoptr(GdkPixbuf) picture = gdk_pixbuf_get_from_window(window, 0, 0, width, height);
  g_assert_nonnull(picture);
  g_assert_true(gdk_pixbuf_save(picture, path, "png", NULL, NULL));
}

/** panel_fixture_remove_folder: removes a file, or a folder with all that is in it. */
void
panel_fixture_remove_folder(const char *path)
{
  GDir *dir = g_dir_open(path, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *below = g_build_filename(path, name, NULL);
    panel_fixture_remove_folder(below);
  }
  g_clear_pointer(&dir, g_dir_close);
  g_assert_cmpint(g_remove(path), ==, 0);
}

typedef gboolean (*Match)(GtkWidget *widget, gconstpointer data);

typedef struct {
  Match match;
  gconstpointer data;
  GtkWidget *found;
} Search;

static void
search(GtkWidget *widget, gpointer data)
{
  Search *self = data;

  if (self->found)
    return;
  if (self->match(widget, self->data)) {
    self->found = widget;
    return;
  }
  if (GTK_IS_CONTAINER(widget))
    gtk_container_forall(GTK_CONTAINER(widget), search, self);
}

static GtkWidget *
find(GtkWidget *root, Match match, gconstpointer data)
{
  Search self = {match, data, NULL};

  search(root, &self);
  return self.found;
}

static gboolean
is_of_type(GtkWidget *widget, gconstpointer data)
{
  return g_type_is_a(G_OBJECT_TYPE(widget), GPOINTER_TO_SIZE(data));
}

GtkWidget *
find_by_type(GtkWidget *root, GType type)
{
  return find(root, is_of_type, GSIZE_TO_POINTER(type));
}

static gboolean
is_of_name(GtkWidget *widget, gconstpointer data)
{
  return g_strcmp0(gtk_widget_get_name(widget), data) == 0;
}

/** find_by_name: by the name of the widget in its .ui file. */
GtkWidget *
find_by_name(GtkWidget *root, const char *name)
{
  return find(root, is_of_name, name);
}

static gboolean
is_button_of(GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_BUTTON(widget) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), data) == 0;
}

/** find_button: by its label, mnemonic included */
GtkWidget *
find_button(GtkWidget *root, const char *label)
{
  return find(root, is_button_of, label);
}

static gboolean
is_label_with(GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), data);
}

GtkWidget *
find_label_with(GtkWidget *root, const char *part)
{
  return find(root, is_label_with, part);
}

static gboolean
is_named(GtkWidget *widget, gconstpointer data)
{
  return g_strcmp0(atk_object_get_name(gtk_widget_get_accessible(widget)), data) == 0;
}

/** find_named: by the name that accessibility tools read. */
GtkWidget *
find_named(GtkWidget *root, const char *name)
{
  return find(root, is_named, name);
}

/** tree_cell: (transfer full): of a column of the model that holds strings */
char *
tree_cell(GtkTreeView *tree, int row, int column)
{
  GtkTreeModel *model = gtk_tree_view_get_model(tree);
  GtkTreeIter iter;
  char *text = NULL;

  g_assert_true(gtk_tree_model_iter_nth_child(model, &iter, NULL, row));
  gtk_tree_model_get(model, &iter, column, &text, -1);
  return text;
}

int
tree_rows(GtkTreeView *tree)
{
  return gtk_tree_model_iter_n_children(gtk_tree_view_get_model(tree), NULL);
}

static gboolean
is_control(GtkWidget *widget)
{
  return GTK_IS_BUTTON(widget) || GTK_IS_SPIN_BUTTON(widget) || GTK_IS_COMBO_BOX(widget) || GTK_IS_TREE_VIEW(widget) ||
         GTK_IS_TEXT_VIEW(widget) || GTK_IS_DRAWING_AREA(widget);
}

static gboolean
has_name(GtkWidget *widget)
{
  AtkObject *accessible = gtk_widget_get_accessible(widget);
  const char *name = atk_object_get_name(accessible);

  return name && *name;
}

static void
assert_named(GtkWidget *widget, gpointer data)
{
  if (is_control(widget) && gtk_widget_is_visible(widget) && !has_name(widget)) {
    g_autofree char *path = gtk_widget_path_to_string(gtk_widget_get_path(widget));
    g_error("A %s of %s has no accessible name: %s", G_OBJECT_TYPE_NAME(widget), (const char *)data, path);
  }
  /* The contents of these widgets are internal. */
  if (GTK_IS_CONTAINER(widget) && !GTK_IS_COMBO_BOX(widget) && !GTK_IS_TREE_VIEW(widget))
    gtk_container_forall(GTK_CONTAINER(widget), assert_named, data);
}

/** assert_accessible_names: every control below @root has a name. */
void
assert_accessible_names(GtkWidget *root)
{
  assert_named(root, (gpointer)G_OBJECT_TYPE_NAME(root));
}

static double
luminance(guint32 rgb)
{
  static const double weights[] = {0.0722, 0.7152, 0.2126};
  double sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS(weights); i++) {
    double x = (rgb >> (8 * i) & 255) / 255.0;
    sum += weights[i] * (x <= 0.03928 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/** contrast: of two colours 0xRRGGBB, as WCAG 2 defines it: 1 to 21 */
double
contrast(guint32 one, guint32 other)
{
  double a = luminance(one), b = luminance(other);

  return (MAX(a, b) + 0.05) / (MIN(a, b) + 0.05);
}

/** panel_fixture_check: sets the toggle of that name. */
void
panel_fixture_check(PanelFixture *self, const char *name, gboolean checked)
{
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(find_named(self->panel, name)), checked);
}

/** panel_fixture_set_number: sets the spin button of that name. */
void
panel_fixture_set_number(PanelFixture *self, const char *name, double number)
{
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(find_named(self->panel, name)), number);
}
