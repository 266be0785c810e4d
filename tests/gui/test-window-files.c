/* SPDX-License-Identifier: MIT */
/* Opening and saving pictures, their tabs, and files that are not pictures. */
#include <glib/gstdio.h>
#include <string.h>

#include "core/image/colour/colour.h"
#include "core/image/image-io.h"
#include "tests/support/fixture.h"
#include "tests/support/profiles.h"
#include "tests/gui/window-fixture.h"
#include "ui/common/files.h"
#include "ui/document/document.h"
#include "ui/options/options-panel.h"
#include "ui/window/window.h"

static void
test_placeholder(void)
{
  SET_UP(fixture);
  g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 0);
  g_assert_false(g_action_group_get_action_enabled(G_ACTION_GROUP(fixture.window), "save"));
  g_assert_nonnull(find_button(GTK_WIDGET(fixture.window), "_Try the Sample"));
  assert_accessible_names(GTK_WIDGET(fixture.window));
}

static void
test_sample(void)
{
  SET_UP(fixture);
  gtk_button_clicked(GTK_BUTTON(find_button(GTK_WIDGET(fixture.window), "_Try the Sample")));
  wait_for(60, ms_window_get_document(fixture.window) != NULL);
  wait_for(60, ms_document_get_current_run(ms_window_get_document(fixture.window)) != NULL);
  window_fixture_wait_idle(&fixture);
  window_fixture_assert_filtered(&fixture);
  assert_accessible_names(GTK_WIDGET(fixture.window));
}

static void
test_open(void)
{
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 200, 150);
  g_assert_cmpstr(gtk_window_get_title(GTK_WINDOW(fixture.window)), ==, "scene-200x150.png");
  window_fixture_assert_filtered(&fixture);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

static void
test_tabs(void)
{
  SET_UP(fixture);
  MsDocument *first = window_fixture_open_scene(&fixture, 60, 40);
  g_assert_true(ms_document_set_option(first, "sr", "44", NULL));
  window_fixture_wait_idle(&fixture);
  MsDocument *second = window_fixture_open_scene(&fixture, 50, 40);
  g_assert_true(second != first);
  g_assert_cmpfloat(ms_document_get_settings(second)->params.sr, ==, 44);
  window_fixture_activate(&fixture, "previous-tab");
  g_assert_true(ms_window_get_document(fixture.window) == first);
  g_assert_true(ms_document_set_option(first, "sr", "7", NULL));
  panel_fixture_settle();
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sr"))), ==, 7);
  window_fixture_activate(&fixture, "next-tab");
  g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(window_fixture_spin(&fixture, "sr"))), ==, 44);
  /* A message is shown with its tab only; a toast leaves after a time. */
  ms_window_report(fixture.window, MS_TOPIC_LOSSES, second, "a notice", MS_OFFER_NOTHING, NULL);
  window_fixture_activate(&fixture, "previous-tab");
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
  window_fixture_activate(&fixture, "next-tab");
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "a notice");
  ms_window_dismiss_message(fixture.window);
  ms_window_toast(fixture.window, "a toast", MS_TOAST_PLAIN, NULL);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "a toast");
  wait_for(60, ms_window_get_message(fixture.window)[0] == '\0');
  window_fixture_activate(&fixture, "close-tab");
  window_fixture_activate(&fixture, "close-tab");
  g_assert_null(ms_window_get_document(fixture.window));
}

static void
open_bad(WindowFixture *fixture, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);

  ms_window_open(fixture->window, file);
  wait_for(60, !ms_window_is_opening(fixture->window));
  if (ms_window_get_n_documents(fixture->window) > 0) {
    window_fixture_activate(fixture, "close-tab");
    return;
  }
  if (ms_window_get_message(fixture->window)[0] == '\0')
    g_error("Nothing was said about %s", path);
}

static void
test_bad_files(void)
{
  SET_UP(fixture);
  g_autofree char *text = g_build_filename(fixture.folder, "text.png", NULL);
  g_autofree char *empty = g_build_filename(fixture.folder, "empty.jpg", NULL);
  g_assert_true(g_file_set_contents(text, "this is no picture", -1, NULL));
  g_assert_true(g_file_set_contents(empty, "", 0, NULL));
  const char *bad[] = {text, empty, fixture.folder, "/nonexistent/picture.png"};
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    open_bad(&fixture, bad[i]);
    g_assert_cmpuint(ms_window_get_n_documents(fixture.window), ==, 0);
  }
  window_fixture_open_scene(&fixture, 40, 30);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
  window_fixture_assert_filtered(&fixture);
}

/* The two sound pictures among the files have 400 and 900 megapixels, which takes half a minute: in CI only. */
static void
open_folder(WindowFixture *fixture, const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      open_folder(fixture, path);
    else if (ms_fixture_form() >= MS_TEST_CI || !g_str_has_prefix(name, "valid_"))
      open_bad(fixture, path);
  }
}

static void
test_hostile_files(void)
{
  g_autofree char *folder = ms_fixture_picture("hostile");

  if (!folder)
    return;
  SET_UP(fixture);
  g_settings_set_boolean(ms_application_get_settings(fixture.application), "live", FALSE);
  open_folder(&fixture, folder);
  g_settings_set_boolean(ms_application_get_settings(fixture.application), "live", TRUE);
  window_fixture_open_scene(&fixture, 40, 30);
  window_fixture_assert_filtered(&fixture);
}

/* A closed picture is not filtered, even if a task of the window still refers to it. */
static void
test_closed(void)
{
  SET_UP(fixture);
  g_settings_set_boolean(ms_application_get_settings(fixture.application), "live", FALSE);
  g_autoptr(MsImage) scene = ms_fixture_scene(60, 40, 3);
  ms_window_add_image(fixture.window, scene, NULL, "closed");
  g_autoptr(MsDocument) document = g_object_ref(ms_window_get_document(fixture.window));
  window_fixture_activate(&fixture, "close-tab");
  g_settings_set_boolean(ms_application_get_settings(fixture.application), "live", TRUE);
  g_assert_false(ms_document_is_live(document));
  panel_fixture_settle();
  g_assert_false(ms_document_is_busy(document));
  g_assert_null(ms_document_get_current_run(document));
}

static void
test_command_line(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 60, 40);
  g_assert_true(ms_document_set_option(document, "sp", "7", NULL));
  g_assert_true(ms_document_set_option(document, "kernel", "direct", NULL));
  window_fixture_wait_idle(&fixture);
  g_autofree char *line = ms_window_get_command_line(fixture.window);
  g_assert_true(g_str_has_prefix(line, "meanshift-lab --headless "));
  g_assert_nonnull(strstr(line, "--sp 7 "));
  g_assert_nonnull(strstr(line, "--kernel direct"));
  g_assert_nonnull(strstr(line, "scene-60x40.png"));
  window_fixture_activate(&fixture, "copy-command");
  GtkClipboard *clipboard = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
  g_autofree char *copied = gtk_clipboard_wait_for_text(clipboard);
  g_assert_cmpstr(copied, ==, line);
}

static void
test_copy_and_paste(void)
{
  SET_UP(fixture);
  g_autoptr(MsImage) scene = window_fixture_opaque_scene(70, 50);
  g_autoptr(GFile) file = window_fixture_write(&fixture, scene, "opaque.png");
  window_fixture_open(&fixture, file);
  g_autoptr(MsImage) filtered = g_object_ref(ms_document_get_picture_b(ms_window_get_document(fixture.window)));
  window_fixture_activate(&fixture, "copy");
  window_fixture_activate(&fixture, "paste");
  wait_for(30, ms_window_get_n_documents(fixture.window) == 2);
  ms_fixture_assert_same(filtered, ms_document_get_source(ms_window_get_document(fixture.window)), "pasted");
  window_fixture_wait_idle(&fixture);
}

/* Saving again replaces the file saved before, and the file contains the picture on the screen. */
static void
test_save(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 70, 50);
  g_autofree char *path = g_build_filename(fixture.folder, "saved.png", NULL);
  window_fixture_answer_save(&fixture, window_fixture_save_as(&fixture), "saved.png", NULL);
  wait_for(30, g_str_has_prefix(ms_window_get_message(fixture.window), "Saved as"));
  g_autoptr(MsImage) saved = ms_image_load(path, NULL, NULL, NULL);
  g_assert_nonnull(saved);
  ms_fixture_assert_same(ms_document_get_picture_b(document), saved, "saved");
  GtkWidget *toast = gtk_widget_get_parent(find_label_with(GTK_WIDGET(fixture.window), "Saved as"));
  g_assert_true(gtk_widget_get_visible(find_button(toast, "Show in _Folder")));
}

/* Files that are saved while other tabs come to the front */

/* (transfer full): what the window has saved under @name. */
static MsImage *
load_saved(WindowFixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename(fixture->folder, name, NULL);
  g_autoptr(GError) error = NULL;
  MsImage *saved = ms_image_load(path, NULL, NULL, &error);

  g_assert_no_error(error);
  return saved;
}

static void
wait_for_saved(WindowFixture *fixture, const char *name)
{
  g_autofree char *words = g_strdup_printf("Saved as %s.", name);

  wait_for(60, g_str_has_prefix(ms_window_get_message(fixture->window), words));
}

/* What is saved, and what Ctrl+S saves over, belongs to the picture that was in front when saving was asked for. */
static void
test_save_behind(void)
{
  SET_UP(fixture);
  MsDocument *first = window_fixture_open_scene(&fixture, 60, 40);
  window_fixture_open_scene(&fixture, 50, 40);
  window_fixture_activate(&fixture, "previous-tab");
  GtkWidget *dialog = window_fixture_save_as(&fixture);
  window_fixture_activate(&fixture, "next-tab"); /* as when a picture that was being loaded comes to the front */
  window_fixture_answer_save(&fixture, dialog, "first.png", NULL);
  wait_for_saved(&fixture, "first.png");
  g_autoptr(MsImage) saved = load_saved(&fixture, "first.png");
  ms_fixture_assert_same(ms_document_get_picture_b(first), saved, "the first picture");
  window_fixture_activate(&fixture, "previous-tab");
  dialog = window_fixture_save_as(&fixture);
  window_fixture_answer_save(&fixture, dialog, "first-again.png", NULL);
  window_fixture_activate(&fixture, "next-tab"); /* before its end is handled or behind it */
  wait_for_saved(&fixture, "first-again.png");
  window_fixture_activate(&fixture, "save"); /* asks, since the second picture was never saved */
  wait_for(60, (dialog = window_fixture_find_dialog(GTK_TYPE_FILE_CHOOSER_DIALOG)));
  gtk_dialog_response(GTK_DIALOG(dialog), GTK_RESPONSE_CANCEL);
  panel_fixture_settle();
  g_autoptr(MsImage) again = load_saved(&fixture, "first-again.png");
  ms_fixture_assert_same(ms_document_get_picture_b(first), again, "the first picture again");
}

/* The format that was chosen once is that of the next Ctrl+S, whatever the name says. */
static void
test_save_format(void)
{
  g_autofree char *text = NULL;

  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 60, 40);
  g_autofree char *path = g_build_filename(fixture.folder, "named.png", NULL);
  window_fixture_answer_save(&fixture, window_fixture_save_as(&fixture), "named.png", "ppm");
  wait_for_saved(&fixture, "named.png");
  g_assert_cmpint(g_remove(path), ==, 0);
  g_assert_true(ms_document_set_option(document, "sr", "31", NULL));
  window_fixture_wait_idle(&fixture);
  window_fixture_activate(&fixture, "save");
  wait_for(60, g_file_test(path, G_FILE_TEST_EXISTS));
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_assert_true(g_str_has_prefix(text, "P6"));
}

/* Closing waits for a file that is being written, and does not happen where that fails. */
static void
test_close_while_saving(void)
{
  GtkWidget *question = NULL;

  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 60, 40);
  g_autofree char *path = g_build_filename(fixture.folder, "lost.png", NULL);
  g_autoptr(GFile) other = g_file_new_for_path("/labels.npy");
  g_autoptr(GListStore) saving = g_object_ref(ms_files_saving(GTK_WIDGET(fixture.window)));
  window_fixture_answer_save(&fixture, window_fixture_save_as(&fixture), "lost.png", NULL);
  wait_for_saved(&fixture, "lost.png");
  g_list_store_append(saving, other); /* as a panel does */
  gtk_window_close(GTK_WINDOW(fixture.window));
  wait_for(60, (question = window_fixture_find_dialog(GTK_TYPE_MESSAGE_DIALOG)));
  g_assert_nonnull(find_label_with(question, "labels.npy"));
  g_assert_cmpint(g_remove(path), ==, 0);
  g_assert_cmpint(g_mkdir(path, 0700), ==, 0); /* no file can take its place */
  g_action_group_activate_action(G_ACTION_GROUP(fixture.window), "save", NULL);
  wait_for(60, !window_fixture_find_dialog(GTK_TYPE_MESSAGE_DIALOG));
  ms_files_end_saving(saving, other);
  panel_fixture_settle();
  g_assert_nonnull(fixture.window);
  g_assert_nonnull(strstr(ms_window_get_message(fixture.window), "lost.png"));
  g_assert_true(ms_document_set_option(ms_window_get_document(fixture.window), "sr", "9", NULL));
  window_fixture_wait_idle(&fixture); /* a run that succeeds makes no file */
  g_assert_nonnull(strstr(ms_window_get_message(fixture.window), "lost.png"));
  g_assert_cmpint(g_rmdir(path), ==, 0);
  g_list_store_append(saving, other);
  gtk_window_close(GTK_WINDOW(fixture.window));
  wait_for(60, window_fixture_find_dialog(GTK_TYPE_MESSAGE_DIALOG));
  g_action_group_activate_action(G_ACTION_GROUP(fixture.window), "save", NULL);
  ms_files_end_saving(saving, other);
  wait_for(60, !fixture.window);
  g_autoptr(MsImage) saved = ms_image_load(path, NULL, NULL, NULL);
  g_assert_nonnull(saved);
}

/* What is said of a picture behind others: its tab is marked, and the bar says it when the tab is in front. */
static void
test_failure_behind(void)
{
  MsSettings good = ms_settings_default(), bad = good;

  SET_UP(fixture);
  MsDocument *first = window_fixture_open_scene(&fixture, 60, 40);
  window_fixture_open_scene(&fixture, 50, 40);
  GtkWidget *tab =
    gtk_notebook_get_nth_page(GTK_NOTEBOOK(gtk_widget_get_parent(GTK_WIDGET(ms_window_get_view(fixture.window)))), 0);
  GtkWidget *mark = g_object_get_data(G_OBJECT(tab), "ms-mark");
  bad.options.kernel = MS_KERNEL_PACKED;
  bad.options.memory = MS_MEMORY_IMAGE;
  g_assert_false(gtk_widget_get_visible(mark));
  ms_document_set_settings(first, &bad);
  wait_for(60, !ms_document_is_busy(first));
  panel_fixture_settle();
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
  g_assert_true(gtk_widget_get_visible(mark));
  window_fixture_activate(&fixture, "previous-tab");
  g_assert_cmpstr(ms_window_get_message(fixture.window), !=, "");
  window_fixture_activate(&fixture, "next-tab");
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
  ms_document_set_settings(first, &good);
  wait_for(60, !ms_document_is_busy(first));
  panel_fixture_settle();
  g_assert_false(gtk_widget_get_visible(mark));
  window_fixture_activate(&fixture, "previous-tab");
  g_assert_true(g_str_has_suffix(ms_window_get_message(fixture.window), "The picture has been filtered since."));
  ms_window_dismiss_message(fixture.window);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

/* What a panel reports is said also where no picture is open, and stays until it is dismissed. */
static void
test_problem_of_panel(void)
{
  g_autoptr(GError) error = g_error_new_literal(MS_ERROR, MS_ERROR_IO, "The disk is full.");

  SET_UP(fixture);
  ms_panel_report_problem(MS_PANEL(find_by_type(GTK_WIDGET(fixture.window), MS_TYPE_OPTIONS_PANEL)), error);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "The disk is full.");
  window_fixture_open_scene(&fixture, 60, 40);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "The disk is full.");
  ms_window_dismiss_message(fixture.window);
  g_assert_cmpstr(ms_window_get_message(fixture.window), ==, "");
}

/* PDF files contain NUL bytes, at which strstr() would stop. */
static gboolean
contains(const char *text, gsize length, const char *part)
{
  return memmem(text, length, part, strlen(part)) != NULL;
}

/* (transfer full): the PDF file of one page to which the window prints its picture. */
static char *
print(WindowFixture *fixture, gsize *length)
{
  g_autoptr(GError) error = NULL;
  char *text = NULL;
  g_autofree char *path = g_build_filename(fixture->folder, "print.pdf", NULL);
  g_autoptr(GtkPrintOperation) operation = ms_window_new_print_operation(fixture->window);

  gtk_print_operation_set_export_filename(operation, path);
  g_assert_cmpint(gtk_print_operation_run(operation, GTK_PRINT_OPERATION_ACTION_EXPORT, NULL, &error), ==,
                  GTK_PRINT_OPERATION_RESULT_APPLY);
  g_assert_no_error(error);
  g_assert_true(g_file_get_contents(path, &text, length, NULL));
  g_assert_true(g_str_has_prefix(text, "%PDF"));
  g_assert_cmpint(gtk_print_operation_get_n_pages_to_print(operation), ==, 1);
  return text;
}

/* What is printed is the filtered picture, on one page. */
static void
test_print(void)
{
  gsize length = 0;

  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 61, 43);
  g_autofree char *text = print(&fixture, &length);
  g_assert_true(contains(text, length, "/Width 61\n"));
  g_assert_true(contains(text, length, "/Height 43\n"));
}

/* The first pixel of the picture in a PDF file, which stores red, green and blue of each, compressed. */
static void
first_printed(const char *text, gsize length, guint8 pixel[3])
{
  const char *image = memmem(text, length, "/Width 61\n", 10);
  g_autoptr(GZlibDecompressor) zlib = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  gsize n_read = 0, n_written = 0;

  g_assert_nonnull(image);
  const gsize rest = length - (gsize)(image - text);
  const char *start = (const char *)memmem(image, rest, "stream\n", 7) + 7;
  g_converter_convert(G_CONVERTER(zlib), start, length - (gsize)(start - text), pixel, 3, G_CONVERTER_NO_FLAGS, &n_read,
                      &n_written, NULL);
  g_assert_cmpuint(n_written, ==, 3);
}

/* Printers, and programs that are given pixels, get sRGB, since the profile of the picture does not reach them. */
static void
test_profile_for_others(void)
{
  enum { WIDTH = 61, HEIGHT = 43 };
  g_autoptr(GBytes) wide = ms_test_profile_wide(2.2);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(wide, NULL, 0, 0);
  guint32 *pixels = g_new(guint32, WIDTH * HEIGHT);
  guint8 expected[4] = {200, 90, 40, 255}, printed[3];
  gsize length = 0;

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    memcpy(&pixels[i], expected, 4);
  g_autoptr(MsImage) image = ms_image_new_take(WIDTH, HEIGHT, (guint8 *)pixels, metadata);
  g_autoptr(MsColour) to_srgb = ms_colour_new(wide, MS_COLOUR_RGBA, NULL);
  ms_colour_convert(to_srgb, expected, 1);
  g_assert_cmpuint(expected[0], !=, 200);
  SET_UP(fixture);
  g_autoptr(GFile) file = window_fixture_write(&fixture, image, "wide.png");
  window_fixture_open(&fixture, file);
  g_autofree char *text = print(&fixture, &length);
  first_printed(text, length, printed);
  g_assert_cmpmem(printed, 3, expected, 3);
  window_fixture_activate(&fixture, "copy");
  g_autoptr(GdkPixbuf) copied = gtk_clipboard_wait_for_image(gtk_clipboard_get(GDK_SELECTION_CLIPBOARD));
  g_assert_cmpmem(gdk_pixbuf_read_pixels(copied), 4, expected, 4);
}

/* Two windows share the device; each has its own picture and settings, and closing one leaves the other as it was. */
static void
test_two_windows(void)
{
  SET_UP(fixture);
  MsDocument *document = window_fixture_open_scene(&fixture, 60, 40);
  MsWindow *other = ms_window_new(GTK_APPLICATION(fixture.application), fixture.engine,
                                  ms_application_get_settings(fixture.application));
  g_autoptr(MsImage) scene = ms_fixture_scene(52, 40, 5);
  g_autoptr(GFile) file = window_fixture_write(&fixture, scene, "other.png");
  g_object_add_weak_pointer(G_OBJECT(other), (gpointer *)&other);
  gtk_window_present(GTK_WINDOW(other));
  ms_window_open(other, file);
  wait_for(60, ms_window_get_document(other));
  g_assert_true(ms_document_set_option(ms_window_get_document(other), "sr", "7", NULL));
  g_assert_true(ms_document_set_option(document, "sr", "33", NULL));
  MsDocument *others = ms_window_get_document(other);
  wait_for(120, ms_document_get_picture_b(others) && !ms_document_is_busy(others));
  g_assert_cmpint(ms_image_get_width(ms_document_get_picture_b(ms_window_get_document(other))), ==, 52);
  g_assert_cmpfloat(ms_document_get_settings(ms_window_get_document(other))->params.sr, ==, 7);
  gtk_window_close(GTK_WINDOW(other));
  wait_for(30, other == NULL);
  window_fixture_wait_idle(&fixture);
  g_assert_cmpfloat(ms_document_get_settings(document)->params.sr, ==, 33);
  window_fixture_assert_filtered(&fixture);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window/placeholder", test_placeholder);
  g_test_add_func("/window/sample", test_sample);
  g_test_add_func("/window/open", test_open);
  g_test_add_func("/window/tabs", test_tabs);
  g_test_add_func("/window/bad-files", test_bad_files);
  g_test_add_func("/window/hostile-files", test_hostile_files);
  g_test_add_func("/window/closed", test_closed);
  g_test_add_func("/window/command-line", test_command_line);
  g_test_add_func("/window/copy-and-paste", test_copy_and_paste);
  g_test_add_func("/window/save", test_save);
  g_test_add_func("/window/save-behind", test_save_behind);
  g_test_add_func("/window/save-format", test_save_format);
  g_test_add_func("/window/close-while-saving", test_close_while_saving);
  g_test_add_func("/window/failure-behind", test_failure_behind);
  g_test_add_func("/window/problem-of-panel", test_problem_of_panel);
  g_test_add_func("/window/print", test_print);
  g_test_add_func("/window/profile-for-others", test_profile_for_others);
  g_test_add_func("/window/two-windows", test_two_windows);
  return window_fixture_run();
}
