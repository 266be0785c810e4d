/* SPDX-License-Identifier: MIT */
/* Opening pictures by dropping them on the window and from the list of recent ones. */
#include <gdk/gdkx.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/image/image-io.h"
#include "core/lab/report/report.h"
#include "tests/support/fixture.h"
#include "tests/gui/window-fixture.h"
#include "ui/document/document.h"
#include "ui/panels/reports/reports-panel.h"
#include "ui/panels/runs/run-strip.h"
#include "ui/window/window-private.h"
#include "ui/window/window.h"

/* ---- Dropping */

static void
on_offer(GtkClipboard *clipboard, GtkSelectionData *data, guint info, gpointer uris)
{
  if (g_str_equal(((char **)uris)[0], "no URI"))
    gtk_selection_data_set(data, gtk_selection_data_get_target(data), 8, (const guchar *)"# none\r\n", 8);
  else
    g_assert_true(gtk_selection_data_set_uris(data, uris));
}

static void
on_offered(GtkClipboard *clipboard, gpointer uris)
{
}

/* The dropped data as a file manager sends them: created through the clipboard, since GTK cannot create a selection. */
static GtkSelectionData *
selection_of(char **uris)
{
  static const GtkTargetEntry target = {(char *)"text/uri-list", 0, 0};
  GtkClipboard *clipboard = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
  GtkSelectionData *data;

  g_assert_true(gtk_clipboard_set_with_data(clipboard, &target, 1, on_offer, on_offered, uris));
  data = gtk_clipboard_wait_for_contents(clipboard, gdk_atom_intern_static_string(target.target));
  g_assert_nonnull(data);
  gtk_clipboard_clear(clipboard);
  return data;
}

/* Sends the window the data of a drop. */
static void
drop(WindowFixture *fixture, char **uris)
{
  GtkWidget *window = GTK_WIDGET(fixture->window);
  GtkTargetList *accepted = gtk_drag_dest_get_target_list(window);
  GtkSelectionData *data = selection_of(uris);
  g_autoptr(GdkDragContext) context = g_object_new(gdk_x11_drag_context_get_type(), NULL);

  g_assert_nonnull(accepted);
  g_assert_true(gtk_target_list_find(accepted, gtk_selection_data_get_target(data), NULL));
  g_signal_emit_by_name(window, "drag-data-received", context, 20, 20, data, 0, GDK_CURRENT_TIME);
  gtk_selection_data_free(data);
  wait_for(60, !ms_window_is_opening(fixture->window));
  panel_fixture_settle();
}

static char *
uri_of_picture(WindowFixture *fixture, int width, const char *name)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(width, 30, 5);
  g_autoptr(GFile) file = window_fixture_write(fixture, scene, name);

  return g_file_get_uri(file);
}

/* All files of one drop are opened, in the order of the drop, whatever their names look like. */
static void
test_drop(void)
{
  SET_UP(fixture);
  g_autofree char *a = uri_of_picture(&fixture, 61, "a picture.png");
  g_autofree char *b = uri_of_picture(&fixture, 52, "Mäander #2%.png");
  g_autofree char *c = uri_of_picture(&fixture, 43, "c.jpg");
  drop(&fixture, (char *[]){a, b, c, NULL});
  g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 3);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
  const int widths[] = {43, 52, 61};
  const char *const titles[] = {"c.jpg", "Mäander #2%.png", "a picture.png"};
  /* The front tab is the picture that was read last; from the last tab to the first, the order is that of the drop. */
  for (guint i = 0; i < G_N_ELEMENTS(widths); i++)
    window_fixture_activate(&fixture, "next-tab");
  for (guint i = 0; i < G_N_ELEMENTS(widths); i++) {
    MsDocument *document = ms_window_get_document(fixture.window);
    g_assert_cmpint(ms_image_get_width(ms_document_get_source(document)), ==, widths[i]);
    g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(fixture.window)), ==, titles[i]);
    window_fixture_activate(&fixture, "close-tab");
  }
}

/* A file that cannot be opened is named in a message, and the others are opened. */
static void
test_drop_some_bad(void)
{
  SET_UP(fixture);
  g_autofree char *text = g_build_filename(fixture.folder, "text.png", NULL);
  g_assert_true(g_file_set_contents(text, "this is no picture", -1, NULL));
  g_autofree char *bad = g_filename_to_uri(text, NULL, NULL);
  g_autofree char *good = uri_of_picture(&fixture, 40, "good.png");
  for (int bad_first = 0; bad_first < 2; bad_first++) {
    drop(&fixture, bad_first ? (char *[]){bad, good, NULL} : (char *[]){good, bad, NULL});
    g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 1);
    g_assert_nonnull(strstr(ms_window_get_message(fixture.window), "text.png"));
    wait_for(120, ms_document_get_current_run(ms_window_get_document(fixture.window)));
    g_assert_nonnull(strstr(ms_window_get_message(fixture.window), "text.png"));
    window_fixture_wait_idle(&fixture);
    window_fixture_assert_filtered(&fixture);
    window_fixture_activate(&fixture, "close-tab");
  }
}

/* Text that is not the URI of a file opens nothing; the window names it in a message. */
static void
test_drop_only_bad(void)
{
  static const struct {
    const char *uri;
    const char *named;
  } cases[] = {
    {"no URI", NULL},
    {"file:///nonexistent/picture.png", "/nonexistent/picture.png"},
    {"nonsense://host/picture.png", "nonsense://host/picture.png"},
    {"picture.png", "picture.png"},
  };

  SET_UP(fixture);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    drop(&fixture, (char *[]){(char *)cases[i].uri, NULL});
    const char *message = ms_window_get_message(fixture.window);
    g_test_message("%s: %s", cases[i].uri, message);
    g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 0);
    if (cases[i].named)
      g_assert_true(strstr(message, cases[i].named) && g_str_has_suffix(message, "."));
    else
      g_assert_cmpstr(message, ==, "");
  }
  window_fixture_open_scene(&fixture, 40, 30);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

/* The menu's command for a folder shows the workspace Batch and has no state, so that it has no radio mark. */
static void
test_filter_folder(void)
{
  SET_UP(fixture);
  GActionGroup *actions = G_ACTION_GROUP(fixture.window);
  GMenuModel *menu = gtk_menu_button_get_menu_model(GTK_MENU_BUTTON(fixture.window->menu_button));
  g_autoptr(GMenuModel) section = g_menu_model_get_item_link(menu, 0, G_MENU_LINK_SECTION);
  g_autofree char *action = NULL;
  g_assert_true(g_menu_model_get_item_attribute(section, 1, G_MENU_ATTRIBUTE_ACTION, "s", &action));
  g_assert_true(g_str_has_prefix(action, "win."));
  g_assert_null(g_action_group_get_action_state_type(actions, action + 4));
  g_action_group_activate_action(actions, action + 4, NULL);
  panel_fixture_settle();
  g_autoptr(GVariant) workspace = g_action_group_get_action_state(actions, "workspace");
  g_assert_cmpstr(g_variant_get_string(workspace, NULL), ==, "batch");
  window_fixture_activate(&fixture, "workspace::picture");
}

/* The menu of a window marks the workspace in which the last one was left. */
static void
test_remembered_workspace(void)
{
  SET_UP(fixture);
  GSettings *settings = ms_application_get_settings(fixture.application);

  g_settings_set_string(settings, "workspace", "batch");
  MsWindow *window = ms_window_new(GTK_APPLICATION(fixture.application), fixture.engine, settings);
  g_autoptr(GVariant) workspace = g_action_group_get_action_state(G_ACTION_GROUP(window), "workspace");
  g_assert_cmpstr(g_variant_get_string(workspace, NULL), ==, "batch");
  gtk_widget_destroy(GTK_WIDGET(window));
  window_fixture_activate(&fixture, "workspace::picture");
}

/* A dropped folder opens no picture, but is added to the workspace Batch. */
static void
test_drop_folder(void)
{
  SET_UP(fixture);
  g_autofree char *folder = g_filename_to_uri(fixture.folder, NULL, NULL);
  drop(&fixture, (char *[]){folder, NULL});
  g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 0);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
  g_autoptr(GVariant) workspace = g_action_group_get_action_state(G_ACTION_GROUP(fixture.window), "workspace");
  g_assert_cmpstr(g_variant_get_string(workspace, NULL), ==, "batch");
  /* A picture that is opened behind it does not get the focus. */
  window_fixture_open_scene(&fixture, 64, 48);
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(fixture.window));
  g_assert_true(!focus || gtk_widget_get_mapped(focus));
}

/* (transfer full): the URI of a file with @text */
static char *
uri_of_text(WindowFixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(fixture->folder, name, NULL);

  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  return g_filename_to_uri(path, NULL, NULL);
}

/* Reports that are dropped stand side by side in the Lab, each once; what is no report is named with its fault. */
static void
test_drop_reports(void)
{
  SET_UP(fixture);
  g_autofree char *shipped =
    g_build_filename(g_getenv("MS_SOURCE_ROOT"), "data", "experiments", "reports", "pocl-3.1-two-cores.json", NULL);
  g_autoptr(GPtrArray) reports = ms_reports_load(shipped, NULL);
  g_assert_nonnull(reports);
  MsReport *first = reports->pdata[0];
  g_autofree char *one = ms_report_to_json(first);
  g_free(first->device.name);
  first->device.name = g_strdup("Other device");
  g_autofree char *two = ms_report_to_json(first);
  g_autofree char *a = uri_of_text(&fixture, "a.json", one), *b = uri_of_text(&fixture, "b.json", two),
                  *bad = uri_of_text(&fixture, "bad.json", "{}");
  drop(&fixture, (char *[]){a, b, bad, NULL});

  GtkWidget *window = GTK_WIDGET(fixture.window);
  GtkWidget *panel = find_by_type(window, MS_TYPE_REPORTS_PANEL);
  g_assert_nonnull(panel);
  wait_for(30, find_label_with(panel, "bad.json: This is not a report of an experiment."));
  g_assert_true(gtk_widget_get_mapped(panel));
  g_assert_nonnull(find_label_with(panel, "Other device (PoCL): "));
  GtkTreeView *tree = GTK_TREE_VIEW(find_named(panel, "Devices side by side"));
  g_assert_cmpuint(gtk_tree_view_get_n_columns(tree), ==, 3);
  g_assert_cmpstr(gtk_tree_view_column_get_title(gtk_tree_view_get_column(tree, 2)), ==, "Other device (PoCL)");
  g_assert_cmpint(tree_rows(tree), ==, first->rows->len);
  g_autofree char *measured = tree_cell(tree, 0, 1), *other = tree_cell(tree, 0, 2);
  g_assert_cmpstr(measured, ==, other);
  assert_accessible_names(panel);

  drop(&fixture, (char *[]){b, NULL});
  wait_for(30, !find_label_with(panel, "bad.json") || !gtk_widget_get_visible(find_label_with(panel, "bad.json")));
  g_assert_cmpuint(gtk_tree_view_get_n_columns(tree), ==, 3);
  gtk_button_clicked(GTK_BUTTON(find_button(panel, "C_lear")));
  g_assert_false(gtk_widget_get_mapped(GTK_WIDGET(tree)));
  g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 0);
}

/* ---- Many pictures */

#define MANY 10000

/* Processor time of the thread of the window, which other programs do not lengthen. */
static double
thread_ms(void)
{
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void
make_many(const char *folder)
{
  g_autofree char *first = g_build_filename(folder, "0.png", NULL);

  g_assert_true(g_file_set_contents(first, "not decoded here", -1, NULL));
  for (int i = 1; i < MANY; i++) {
    g_autofree char *name = g_strdup_printf("%s/%d.png", folder, i);
    g_assert_cmpint(link(first, name), ==, 0);
  }
}

/* Listing a folder of 10,000 pictures, or scrolling to its end, never blocks the window for long. */
static void
test_folder_of_many(void)
{
  double worst = 0;

  SET_UP(fixture);
  GtkWidget *window = GTK_WIDGET(fixture.window);
  make_many(fixture.folder);
  g_autofree char *folder = g_filename_to_uri(fixture.folder, NULL, NULL);
  drop(&fixture, (char *[]){folder, NULL});
  gtk_button_clicked(GTK_BUTTON(find_button(window, "_Dry Run")));
  /* Meson ends a test that waits for ever. */
  while (!find_label_with(window, "0 of 10000 done")) {
    double start = thread_ms();
    panel_fixture_iterate();
    worst = MAX(worst, thread_ms() - start);
  }
  double start = thread_ms();
  panel_fixture_settle();
  g_test_message("at most %.0f ms in one step, %.0f ms to show the list", worst, thread_ms() - start);
  /* Each takes about 60 ms, with a sanitizer 1.5 s; code of quadratic time takes 9 s. */
  g_assert_cmpfloat(worst, <, 5000);
  g_assert_cmpfloat(thread_ms() - start, <, 5000);
}

/* ---- Dragging out */

/* Dragging the thumbnail of a run passes a file with its picture to another program; the file is removed at the end. */
static void
test_drag_out(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 60, 40);
  window_fixture_activate(&fixture, "workspace::picture");
  GtkWidget *strip = find_by_type(GTK_WIDGET(fixture.window), MS_TYPE_RUN_STRIP);
  wait_for(60, find_named(strip, "Thumbnail of defaults"));
  GtkWidget *handle = gtk_widget_get_parent(find_named(strip, "Thumbnail of defaults"));
  g_autoptr(GdkDragContext) context = g_object_new(gdk_x11_drag_context_get_type(), NULL);
  GtkSelectionData *data = selection_of((char *[]){(char *)"file:///nothing", NULL});
  g_assert_true(
    gtk_target_list_find(gtk_drag_source_get_target_list(handle), gdk_atom_intern_static_string("image/png"), NULL));
  g_signal_emit_by_name(handle, "drag-data-get", context, data, 0, GDK_CURRENT_TIME);
  g_auto(GStrv) uris = gtk_selection_data_get_uris(data);
  gtk_selection_data_free(data);
  g_autofree char *path = g_filename_from_uri(uris[0], NULL, NULL);
  g_autofree char *name = g_path_get_basename(path);
  g_assert_cmpstr(name, ==, "scene-60x40-meanshift.png");
  g_autoptr(MsImage) dragged = ms_image_load(path, NULL, NULL, NULL);
  ms_fixture_assert_same(ms_run_get_result(ms_document_get_current_run(document)), dragged, "what was dragged");
  window_fixture_tear_down(&fixture);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* ---- Recent pictures */

/* (nullable): the button of the picture of that name in the list of recent pictures, which is opened. */
static GtkWidget *
recent_item(WindowFixture *fixture, const char *name)
{
  GtkWidget *button = find_by_name(GTK_WIDGET(fixture->window), "recent");
  GtkPopover *popover = gtk_menu_button_get_popover(GTK_MENU_BUTTON(button));

  gtk_popover_popup(popover);
  GtkWidget *label = find_label_with(GTK_WIDGET(popover), name);
  return label ? gtk_widget_get_ancestor(label, GTK_TYPE_BUTTON) : NULL;
}

/* A picture that is named after the test's folder has a new name in each test. */
static GFile *
new_picture(WindowFixture *fixture, char **name)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(47, 30, 5);
  g_autofree char *unique = g_path_get_basename(fixture->folder);

  *name = g_strconcat(unique, ".png", NULL);
  return window_fixture_write(fixture, scene, *name);
}

/* An opened picture is in the desktop's list of recent files and in the menu, from which it can be opened again. */
static void
test_recent(void)
{
  GtkRecentManager *manager = gtk_recent_manager_get_default();
  g_autofree char *name = NULL;

  SET_UP(fixture);
  g_autoptr(GFile) file = new_picture(&fixture, &name);
  g_autofree char *uri = g_file_get_uri(file);
  g_assert_false(gtk_recent_manager_has_item(manager, uri));
  window_fixture_open(&fixture, file);
  wait_for(60, gtk_recent_manager_has_item(manager, uri));
  g_autoptr(GtkRecentInfo) info = gtk_recent_manager_lookup_item(manager, uri, NULL);
  g_assert_nonnull(info);
  g_assert_true(gtk_recent_info_has_application(info, g_get_application_name()));
  g_assert_cmpstr(gtk_recent_info_get_mime_type(info), ==, "image/png");
  window_fixture_activate(&fixture, "close-tab");
  g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 0);

  GtkWidget *item = recent_item(&fixture, name);
  g_assert_nonnull(item);
  wait_for(60, gtk_image_get_pixbuf(GTK_IMAGE(find_by_type(item, GTK_TYPE_IMAGE))));
  gtk_button_clicked(GTK_BUTTON(item));
  wait_for(60, ms_window_get_n_documents(fixture.window) == 1);
  window_fixture_wait_idle(&fixture);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(fixture.window)), ==, name);
  g_assert_cmpint(ms_image_get_width(ms_document_get_source(ms_window_get_document(fixture.window))), ==, 47);
}

/* A picture that was deleted after the menu was filled: the window reports that it does not exist. */
static void
test_recent_gone(void)
{
  g_autofree char *name = NULL;

  SET_UP(fixture);
  g_autoptr(GFile) file = new_picture(&fixture, &name);
  window_fixture_open(&fixture, file);
  window_fixture_activate(&fixture, "close-tab");
  GtkWidget *item = recent_item(&fixture, name);
  g_assert_nonnull(item);
  g_assert_cmpint(g_unlink(g_file_peek_path(file)), ==, 0);
  gtk_button_clicked(GTK_BUTTON(item));
  wait_for(60, !ms_window_is_opening(fixture.window));
  g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 0);
  g_assert_nonnull(strstr(ms_window_get_message(fixture.window), name));
}

/* Pictures that are not files, and files that could not be opened, are not added to the desktop's list. */
static void
test_recent_only_files(void)
{
  GtkRecentManager *manager = gtk_recent_manager_get_default();

  SET_UP(fixture);
  g_autofree char *text = g_build_filename(fixture.folder, "text.png", NULL);
  g_assert_true(g_file_set_contents(text, "this is no picture", -1, NULL));
  g_autofree char *uri = g_filename_to_uri(text, NULL, NULL);
  drop(&fixture, (char *[]){uri, NULL});
  gtk_button_clicked(GTK_BUTTON(find_button(GTK_WIDGET(fixture.window), "_Try the Sample")));
  wait_for(60, ms_window_get_n_documents(fixture.window) == 1);
  /* This file is added; entries are written in order, so the others would be there by now. */
  window_fixture_open_scene(&fixture, 41, 30);
  g_autofree char *scene = g_build_filename(fixture.folder, "scene-41x30.png", NULL);
  g_autofree char *scene_uri = g_filename_to_uri(scene, NULL, NULL);
  wait_for(60, gtk_recent_manager_has_item(manager, scene_uri));
  g_assert_false(gtk_recent_manager_has_item(manager, uri));
  GList *items = gtk_recent_manager_get_items(manager);
  for (GList *l = items; l; l = l->next)
    g_assert_false(g_str_has_prefix(gtk_recent_info_get_uri(l->data), "resource:"));
  g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window-open/drop", test_drop);
  g_test_add_func("/window-open/drop-some-bad", test_drop_some_bad);
  g_test_add_func("/window-open/drop-only-bad", test_drop_only_bad);
  g_test_add_func("/window-open/filter-folder", test_filter_folder);
  g_test_add_func("/window-open/remembered-workspace", test_remembered_workspace);
  g_test_add_func("/window-open/drop-folder", test_drop_folder);
  g_test_add_func("/window-open/drop-reports", test_drop_reports);
  g_test_add_func("/window-open/folder-of-many", test_folder_of_many);
  g_test_add_func("/window-open/drag-out", test_drag_out);
  g_test_add_func("/window-open/recent", test_recent);
  g_test_add_func("/window-open/recent-gone", test_recent_gone);
  g_test_add_func("/window-open/recent-only-files", test_recent_only_files);
  return window_fixture_run();
}
