/* SPDX-License-Identifier: MIT */
#include <glib/gstdio.h>
#include <gtk/gtk.h>
#include <string.h>

#include "core/image/codec.h"
#include "core/image/pixbuf.h"
#include "tests/gui/panel-fixture.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"
#include "tests/support/profiles.h"
#include "ui/common/format.h"
#include "ui/common/thumbnails.h"
#include "ui/document/document.h"
#include "ui/image-view/picture.h"
#include "core/filter/settings/filter-presets.h"
#include "ui/image-view/readout.h"
#include "ui/image-view/view-geometry.h"

static MsViewGeometry
geometry_of(int width, int height, double pane_width, double pane_height)
{
  MsViewGeometry geometry = {.zoom = 1, .fit = TRUE};

  ms_view_geometry_set_pane(&geometry, pane_width, pane_height);
  ms_view_geometry_set_picture(&geometry, width, height);
  return geometry;
}

static void
test_fit(void)
{
  MsViewGeometry large = geometry_of(2000, 1000, 500, 500), small = geometry_of(100, 100, 450, 900);
  MsViewGeometry near_one = geometry_of(400, 300, 600, 500);

  g_assert_cmpfloat(large.zoom, ==, 0.25);
  g_assert_cmpfloat(small.zoom, ==, 4);
  g_assert_cmpfloat(near_one.zoom, ==, 1);
  ms_view_geometry_set_pane(&large, 1000, 500);
  g_assert_cmpfloat(large.zoom, ==, 0.5);
}

/* Whatever the zoom, the point below the pointer stays below it, as long as the picture is larger than the pane. */
static void
test_zoom_at_pointer(void)
{
  MsViewGeometry geometry = geometry_of(4000, 3000, 800, 600);
  double x0, y0, x1, y1;

  for (double zoom = 1; zoom < 40; zoom *= 1.7) {
    ms_view_geometry_zoom_at(&geometry, zoom, 400, 300);
    ms_view_geometry_to_picture(&geometry, 130, 520, &x0, &y0);
    ms_view_geometry_zoom_at(&geometry, zoom * 1.3, 130, 520);
    ms_view_geometry_to_picture(&geometry, 130, 520, &x1, &y1);
    g_assert_cmpfloat(ABS(x1 - x0), <=, 1 / zoom);
    g_assert_cmpfloat(ABS(y1 - y0), <=, 1 / zoom);
  }
  g_assert_false(geometry.fit);
}

static void
test_pan_stops_at_edges(void)
{
  MsViewGeometry geometry = geometry_of(1000, 1000, 100, 100);
  MsRegion visible;

  ms_view_geometry_zoom_at(&geometry, 1, 50, 50);
  ms_view_geometry_pan(&geometry, 1e9, 1e9);
  visible = ms_view_geometry_visible(&geometry);
  g_assert_cmpint(visible.x, ==, 0);
  g_assert_cmpint(visible.width, ==, 100);
  ms_view_geometry_pan(&geometry, -1e9, -30);
  visible = ms_view_geometry_visible(&geometry);
  g_assert_cmpint(visible.x, ==, 900);
  g_assert_cmpint(visible.y, ==, 30);
  ms_view_geometry_zoom_at(&geometry, 1e9, 0, 0);
  g_assert_cmpfloat(geometry.zoom, ==, MS_ZOOM_MAX);
}

static void
test_empty_pane(void)
{
  MsViewGeometry geometry = geometry_of(100, 100, 0, 0);

  g_assert_cmpint(ms_view_geometry_visible(&geometry).width, ==, 0);
  ms_view_geometry_set_pane(&geometry, 50, 50);
  g_assert_cmpint(ms_view_geometry_visible(&geometry).width, ==, 100);
}

/* A document whose changes start nothing. */
static MsDocument *
new_document(void)
{
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  g_autoptr(MsImage) image = ms_fixture_noise(8, 8, 1);
  MsDocument *document = ms_document_new(engine, image, NULL, "noise");

  ms_document_set_live(document, FALSE);
  return document;
}

static double
sp_of(MsDocument *document)
{
  return ms_document_get_settings(document)->params.sp;
}

/* As a slider does. */
static void
move_sp(MsDocument *document, int sp)
{
  g_autofree char *text = g_strdup_printf("%d", sp);

  g_assert_true(ms_document_set_option(document, "sp", text, NULL));
}

/* As a preset does. */
static void
set_sp(MsDocument *document, double sp)
{
  MsSettings settings = *ms_document_get_settings(document);

  settings.params.sp = sp;
  ms_document_set_settings(document, &settings);
}

static void
test_history(void)
{
  const MsSettings first = ms_settings_default();
  g_autoptr(MsDocument) document = new_document();

  g_assert_false(ms_document_can_undo(document));
  for (int sp = 2; sp < 9; sp++)
    move_sp(document, sp);
  g_assert_true(ms_document_set_option(document, "sr", "21", NULL));
  set_sp(document, 30);
  set_sp(document, 31);
  ms_document_undo(document);
  g_assert_cmpfloat(sp_of(document), ==, 30);
  ms_document_undo(document);
  ms_document_undo(document);
  g_assert_cmpfloat(sp_of(document), ==, 8);
  g_assert_cmpfloat(ms_document_get_settings(document)->params.sr, ==, first.params.sr);
  ms_document_undo(document);
  g_assert_true(ms_settings_equal(ms_document_get_settings(document), &first));
  ms_document_redo(document);
  move_sp(document, 5);
  g_assert_false(ms_document_can_redo(document));
  g_assert_cmpfloat(sp_of(document), ==, 5);
  ms_document_undo(document);
  g_assert_cmpfloat(sp_of(document), ==, 8);
}

/* Two choices in short succession are two steps, unlike moves of a slider. */
static void
test_choices_are_steps(void)
{
  g_autoptr(MsDocument) document = new_document();

  g_assert_true(ms_document_set_option(document, "unroll", "2", NULL));
  g_assert_true(ms_document_set_option(document, "unroll", "4", NULL));
  ms_document_undo(document);
  g_assert_cmpint(ms_document_get_settings(document)->options.unroll, ==, 2);
  g_assert_cmpstr(ms_document_get_undo_name(document), ==, "unroll");
}

/* A day of changes keeps the newest five hundred. */
static void
test_history_is_bounded(void)
{
  g_autoptr(MsDocument) document = new_document();
  guint steps = 0;

  for (int i = 0; i < 2000; i++)
    set_sp(document, 1 + i % 60);
  for (; ms_document_can_undo(document); steps++)
    ms_document_undo(document);
  g_assert_cmpuint(steps, ==, 499);
}

static void
test_plain_labels(void)
{
  g_autofree char *english = ms_format_plain("_Memory object"), *chinese = ms_format_plain("内存对象(_M)");

  g_assert_cmpstr(english, ==, "Memory object");
  g_assert_cmpstr(chinese, ==, "内存对象");
}

static void
test_presets(void)
{
  char *folder = ms_test_folder_new();
  g_autofree char *deeper = g_build_filename(folder, "new", NULL);
  g_autofree char *path = g_build_filename(deeper, "presets.ini", NULL);
  g_autoptr(MsPresets) presets = ms_presets_new(path);
  g_auto(GStrv) built_in = ms_presets_list(presets, FALSE);
  MsSettings settings = ms_settings_default(), read = ms_settings_default();
  g_autoptr(GError) error = NULL;

  g_assert_cmpuint(g_strv_length(built_in), >=, 3);
  for (guint i = 0; built_in[i]; i++)
    if (!ms_presets_apply(presets, built_in[i], &settings, &error))
      g_error("%s", error->message);
  settings.params.sp = 3.5;
  settings.options.work_group_width = 8;
  settings.options.work_group_height = 4;
  g_assert_true(ms_presets_add(presets, "Mine, with ünïcode", &settings, &error));

  g_autoptr(MsPresets) again = ms_presets_new(path);
  g_assert_true(ms_presets_apply(again, "Mine, with ünïcode", &read, &error));
  g_assert_true(ms_settings_equal(&settings, &read));
  g_assert_true(ms_presets_remove(again, "Mine, with ünïcode", &error));
  g_auto(GStrv) own = ms_presets_list(again, TRUE);
  g_assert_cmpuint(g_strv_length(own), ==, 0);
  g_assert_false(ms_presets_add(again, "", &settings, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  g_assert_cmpint(g_remove(path), ==, 0);
  g_assert_cmpint(g_rmdir(deeper), ==, 0);
  ms_test_folder_remove(folder);
}

/* Names that no file, list or terminal shows as they are; what another program has written is listed as it is. */
static void
test_hostile_presets(void)
{
  static const char *const refused[] = {"a\tb",
                                        "a\nb",
                                        "a\r",
                                        "a\033[31mb",
                                        "a\xe2\x80\xae"
                                        "b",
                                        "a\xff",
                                        "[a",
                                        "a]",
                                        ""};
  static const char *const kept[] = {"../../x", "/etc/passwd", "<b>&amp;</b>", "#a",
                                     "a=b;c",   "$(x)",        "{\\bf a}%_",   "picture"};
  char *folder = ms_test_folder_new();
  g_autofree char *path = g_build_filename(folder, "presets.ini", NULL), *longest = g_strnfill(100, 'x');
  g_autofree char *longer = g_strnfill(101, 'x');
  g_autoptr(MsPresets) presets = ms_presets_new(path);
  MsSettings settings = ms_settings_default();

  for (guint i = 0; i <= G_N_ELEMENTS(refused); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(ms_presets_add(presets, i < G_N_ELEMENTS(refused) ? refused[i] : longer, &settings, &error));
    g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
  }
  for (guint i = 0; i <= G_N_ELEMENTS(kept); i++) {
    const char *name = i < G_N_ELEMENTS(kept) ? kept[i] : longest;
    MsSettings read = ms_settings_default();
    settings.params.sp = 3 + i;
    g_assert_true(ms_presets_add(presets, name, &settings, NULL));
    g_autoptr(MsPresets) again = ms_presets_new(path);
    g_assert_true(ms_presets_apply(again, name, &read, NULL));
    g_assert_true(ms_settings_equal(&settings, &read));
  }
  /* The file is the only one that was written. */
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_assert_cmpstr(g_dir_read_name(dir), ==, "presets.ini");
  g_assert_null(g_dir_read_name(dir));
  /* One that cannot be read is named where a preset is missing. */
  g_autoptr(GError) error = NULL;
  g_assert_true(g_file_set_contents(path, "[a\033]\nsp=4\n", -1, NULL));
  g_assert_false(ms_presets_apply(presets, "a", &settings, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
  g_assert_nonnull(strstr(error->message, "presets.ini' cannot be read"));
  ms_test_folder_remove(folder);
}

/* Two lists of one file, as two windows or processes have them: neither takes back what the other has saved. */
static void
test_shared_presets(void)
{
  char *folder = ms_test_folder_new();
  g_autofree char *path = g_build_filename(folder, "presets.ini", NULL);
  g_autofree char *text = NULL;
  MsSettings settings = ms_settings_default();
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPresets) one = ms_presets_new(path), other = ms_presets_new(path);

  g_assert_true(ms_presets_add(one, "of one", &settings, &error));
  g_assert_true(ms_presets_add(other, "of the other", &settings, &error));
  g_assert_true(ms_presets_remove(one, "of the other", &error));
  g_assert_true(ms_presets_add(other, "third", &settings, &error));
  g_autoptr(MsPresets) again = ms_presets_new(path);
  g_auto(GStrv) names = ms_presets_list(again, TRUE);
  g_autofree char *joined = g_strjoinv("|", names);
  g_assert_cmpstr(joined, ==, "of one|third");
  /* A file that someone else has damaged is not replaced. */
  g_assert_true(g_file_set_contents(path, "[of one]\nsp=4\nnonsense\n", -1, NULL));
  g_assert_false(ms_presets_add(one, "fourth", &settings, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_FORMAT);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_assert_cmpstr(text, ==, "[of one]\nsp=4\nnonsense\n");
  ms_test_folder_remove(folder);
}

static GStrv
names_of(const char *path)
{
  g_autoptr(MsPresets) presets = ms_presets_new(path);

  return ms_presets_list(presets, TRUE);
}

#define WRITER "--write-presets"
#define WRITES 40

/* A process that saves presets as fast as it can. */
static int
write_presets(const char *path, const char *prefix)
{
  const MsSettings settings = ms_settings_default();
  g_autoptr(MsPresets) presets = ms_presets_new(path);

  for (int i = 0; i < WRITES; i++) {
    g_autofree char *name = g_strdup_printf("%s %d", prefix, i);
    if (!ms_presets_add(presets, name, &settings, NULL))
      return 1;
  }
  return 0;
}

/* Two processes that save at once lose none of their presets. */
static void
test_presets_of_processes(void)
{
  char *folder = ms_test_folder_new();
  g_autofree char *path = g_build_filename(folder, "presets.ini", NULL);
  g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) one = g_subprocess_new(0, &error, self, WRITER, path, "one", NULL);
  g_autoptr(GSubprocess) other = g_subprocess_new(0, &error, self, WRITER, path, "other", NULL);

  g_assert_no_error(error);
  g_assert_true(g_subprocess_wait_check(one, NULL, &error));
  g_assert_true(g_subprocess_wait_check(other, NULL, &error));
  g_auto(GStrv) names = names_of(path);
  g_assert_cmpuint(g_strv_length(names), ==, 2 * WRITES);
  ms_test_folder_remove(folder);
}

static gboolean
has_preset(MsPresets *presets, const char *name)
{
  g_auto(GStrv) names = ms_presets_list(presets, TRUE);

  return g_strv_contains((const char *const *)names, name);
}

/* The list that a program's panels share is one object, and shows what another process saves. */
static void
test_presets_are_followed(void)
{
  const MsSettings settings = ms_settings_default();
  g_autoptr(MsPresets) one = ms_presets_shared(), other = ms_presets_shared(), elsewhere = ms_presets_new(NULL);
  g_autoptr(GError) error = NULL;

  g_assert_true(one == other);
  g_assert_true(ms_presets_add(elsewhere, "from elsewhere", &settings, &error));
  wait_for(60, has_preset(one, "from elsewhere"));
  g_assert_true(ms_presets_remove(elsewhere, "from elsewhere", &error));
}

static void
test_foreign_presets(void)
{
  char *folder = ms_test_folder_new();
  g_autofree char *path = g_build_filename(folder, "presets.ini", NULL);
  g_autoptr(GError) unknown = NULL, bad = NULL;
  MsSettings settings = ms_settings_default(), before = settings;

  g_assert_true(g_file_set_contents(path, "[a]\nsp=4\nteleport=yes\n[b]\nsr=3\nsp=banana\n", -1, NULL));
  g_autoptr(MsPresets) presets = ms_presets_new(path);
  g_assert_false(ms_presets_apply(presets, "a", &settings, &unknown));
  g_assert_error(unknown, MS_ERROR, MS_ERROR_FORMAT);
  g_assert_false(ms_presets_apply(presets, "b", &settings, &bad));
  g_assert_error(bad, MS_ERROR, MS_ERROR_USAGE);
  g_assert_true(ms_settings_equal(&settings, &before));
  ms_test_folder_remove(folder);
}

static void
test_readout(void)
{
  guint8 *pixels = g_malloc(5 * 5 * 4);
  MsParams params = ms_settings_default().params;

  for (int i = 0; i < 25; i++) {
    const guint8 pixel[4] = {(guint8)(i % 5 < 3 ? 100 : 200), 50, 60, 255};
    memcpy(pixels + 4 * i, pixel, 4);
  }
  g_autoptr(MsImage) image = ms_image_new_take(5, 5, pixels, NULL);
  params.sp = 2;
  params.sr = 10;
  MsWindowStatistics middle = ms_readout_window(image, &params, 2, 2), corner = ms_readout_window(image, &params, 0, 0);
  g_assert_cmpint(middle.pixels, ==, 25);
  g_assert_cmpint(middle.similar, ==, 15);
  g_assert_cmpfloat(middle.mean[0], ==, 100);
  g_assert_cmpint(corner.pixels, ==, 9);
  const guint8 filtered[4] = {1, 2, 3, 255};
  g_autofree char *text = ms_readout_format(image, filtered, &params, 3, 1);
  g_assert_cmpstr(text, ==, "3, 1    200 50 60 → 1 2 3  sRGB    window: 8 of 16 alike (50 %), mean 200 50 60");
}

static void
prepare(MsPicture *picture)
{
  ms_picture_prepare(picture);
  while (!ms_picture_is_prepared(picture))
    g_main_context_iteration(NULL, TRUE);
}

static guint32
only_pixel(MsPicture *picture, int level, int x, int y, int gain)
{
  MsRegion region = {x, y, 1, 1};
  cairo_surface_t *surface = ms_picture_extract(picture, level, &region, gain, NULL);
  guint32 pixel = *(guint32 *)(void *)cairo_image_surface_get_data(surface);

  cairo_surface_destroy(surface);
  return pixel;
}

/* A reduced copy of one colour is that colour; of two, in equal parts, their mean. */
static void
test_picture_levels(void)
{
  enum { SIDE = 1024 };
  guint8 *pixels = g_malloc((gsize)SIDE * SIDE * 4);

  for (int i = 0; i < SIDE * SIDE; i++) {
    const guint8 pixel[4] = {(guint8)(i % 2 * 200), 10, 77, 255};
    memcpy(pixels + 4 * (gsize)i, pixel, 4);
  }
  g_autoptr(MsImage) image = ms_image_new_take(SIDE, SIDE, pixels, NULL);
  g_autoptr(MsPicture) picture = ms_picture_new(image);
  g_assert_cmpint(ms_picture_level_for_zoom(picture, 1), ==, 0);
  g_assert_cmpint(ms_picture_level_for_zoom(picture, 0.25), ==, 2);
  g_assert_cmpint(ms_picture_level_for_zoom(picture, 0.26), ==, 1);
  prepare(picture);
  g_assert_true(ms_picture_is_opaque(picture));
  g_assert_cmphex(only_pixel(picture, 0, 7, 3, 1), ==, 0xffc80a4d);
  g_assert_cmphex(only_pixel(picture, 1, 7, 3, 1), ==, 0xff640a4d);
  g_assert_cmphex(only_pixel(picture, 2, 255, 255, 1), ==, 0xff640a4d);
}

/* Colours are converted as they are without alpha, and multiplied by it afterwards. */
static void
test_picture_colours(void)
{
  static const guint8 stored[4] = {200, 90, 40, 128};
  g_autoptr(GBytes) wide = ms_test_profile_wide(2.2);
  g_autoptr(MsColour) colours = ms_colour_new(wide, MS_COLOUR_RGBA, NULL);
  g_autoptr(MsImage) image = ms_image_new_take(1, 1, g_memdup2(stored, 4), NULL);
  g_autoptr(MsPicture) picture = ms_picture_new(image);
  const MsRegion region = {0, 0, 1, 1};
  guint8 p[4];

  if (!colours)
    return;
  memcpy(p, stored, 4);
  ms_colour_convert(colours, p, 1);
  cairo_surface_t *surface = ms_picture_extract(picture, 0, &region, 1, colours);
  const guint32 drawn = *(guint32 *)(void *)cairo_image_surface_get_data(surface);
  g_assert_cmpuint(drawn >> 24, ==, 128);
  for (int k = 0; k < 3; k++)
    g_assert_cmpint(abs((int)(drawn >> (16 - 8 * k) & 0xff) - (p[k] * 128 + 127) / 255), <=, 1);
  cairo_surface_destroy(surface);
}

/* Thumbnails are shown through the profile of their file. */
static void
test_thumbnail_colours(void)
{
  static const guint8 stored[4] = {200, 90, 40, 255};
  g_autofree char *folder = ms_test_folder_new(), *path = g_build_filename(folder, "wide.png", NULL);
  g_autoptr(GBytes) wide = ms_test_profile_wide(2.2);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(wide, NULL, 0, 0);
  g_autoptr(MsColour) colours = ms_colour_new(wide, MS_COLOUR_RGBA, NULL);
  g_autoptr(MsImage) image = ms_image_new_take(1, 1, g_memdup2(stored, 4), metadata);
  g_autoptr(GBytes) png = ms_test_encode(image, MS_IMAGE_FORMAT_PNG);
  GtkWidget *shown = g_object_ref_sink(gtk_image_new());
  guint8 p[4];

  g_assert_true(g_file_set_contents(path, g_bytes_get_data(png, NULL), (gssize)g_bytes_get_size(png), NULL));
  g_autoptr(GdkPixbuf) thumbnail = ms_thumbnail_load(path, 100, 100, 0);
  ms_thumbnail_show(GTK_IMAGE(shown), thumbnail);
  memcpy(p, stored, 4);
  if (colours)
    ms_colour_convert(colours, p, 1);
  g_assert_cmpmem(gdk_pixbuf_get_pixels(gtk_image_get_pixbuf(GTK_IMAGE(shown))), 3, p, 3);
  gtk_widget_destroy(shown);
  g_object_unref(shown);
  ms_test_folder_remove(g_steal_pointer(&folder));
}

/* A single different pixel among a million is visible at any zoom. */
static void
test_difference_is_not_lost(void)
{
  enum { SIDE = 1024 };
  guint8 *p = g_malloc0((gsize)SIDE * SIDE * 4), *q = g_malloc0((gsize)SIDE * SIDE * 4);

  q[4 * (500 * SIDE + 333) + 1] = 20;
  g_autoptr(MsImage) a = ms_image_new_take(SIDE, SIDE, p, NULL), b = ms_image_new_take(SIDE, SIDE, q, NULL);
  g_autoptr(MsPicture) picture = ms_picture_new_difference(a, b);
  prepare(picture);
  g_assert_cmphex(only_pixel(picture, 0, 333, 500, 8), ==, 0xff00a000);
  g_assert_cmphex(only_pixel(picture, 1, 166, 250, 8), ==, 0xff00a000);
  g_assert_cmphex(only_pixel(picture, 2, 83, 125, 64), ==, 0xff00ff00);
  g_assert_cmphex(only_pixel(picture, 2, 84, 125, 64), ==, 0xff000000);
}

/* Nothing outside the picture is read before the copies are ready, or at sizes that do not halve evenly. */
static void
test_picture_odd_sizes(void)
{
  const int sizes[][2] = {{1, 1}, {257, 1}, {1, 999}, {513, 511}, {1000, 3}};

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autoptr(MsImage) image = ms_fixture_noise(sizes[i][0], sizes[i][1], i);
    g_autoptr(MsPicture) picture = ms_picture_new(image);
    for (int prepared = 0; prepared <= 1; prepared++) {
      int level = ms_picture_level_for_zoom(picture, 0.01);
      MsRegion all = {0, 0, (sizes[i][0] + (1 << level) - 1) >> level, (sizes[i][1] + (1 << level) - 1) >> level};
      cairo_surface_t *surface = ms_picture_extract(picture, level, &all, 1, NULL);
      g_assert_cmpint(cairo_surface_status(surface), ==, CAIRO_STATUS_SUCCESS);
      cairo_surface_destroy(surface);
      prepare(picture);
    }
  }
}

static void
test_pixbuf(void)
{
  g_autoptr(MsImage) image = ms_fixture_noise(33, 17, 1);
  g_autoptr(GdkPixbuf) pixbuf = ms_pixbuf_from_image(image);
  g_autoptr(MsImage) back = ms_pixbuf_to_image(pixbuf);
  g_autoptr(GdkPixbuf) opaque = gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, 3, 2);

  ms_fixture_assert_same(image, back, "pixbuf");
  gdk_pixbuf_fill(opaque, 0x10203000);
  g_autoptr(MsImage) filled = ms_pixbuf_to_image(opaque);
  g_assert_cmpmem(ms_image_get_pixels(filled), 4, "\x10\x20\x30\xff", 4);
}

static MsRun *
run_of(MsImage *result, double sp)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autofree char *digest = g_compute_checksum_for_bytes(G_CHECKSUM_SHA1, ms_image_get_bytes(result));
  MsRunFacts facts = {.requested = ms_settings_default(),
                      .settings = ms_settings_default(),
                      .log = log,
                      .result = result,
                      .digest = digest};

  facts.settings.params.sp = sp;
  return ms_run_new(&facts);
}

static void
test_runs_are_judged(void)
{
  g_autoptr(MsWindowEngine) engine = ms_window_engine_new();
  g_autoptr(MsImage) one = ms_fixture_noise(8, 8, 1), same = ms_fixture_noise(8, 8, 1),
                     other = ms_fixture_noise(8, 8, 2);
  g_autoptr(MsRun) first = run_of(one, 10), second = run_of(same, 10), wrong = run_of(other, 10),
                   incomparable = run_of(other, 11);

  g_autoptr(MsDocument) document = ms_document_new(engine, one, NULL, "noise");

  ms_document_add_run(document, first);
  ms_document_add_run(document, wrong);
  ms_document_add_run(document, incomparable);
  ms_document_add_run(document, second);
  g_assert_cmpint(ms_run_get_match(first), ==, MS_MATCH_BASELINE);
  g_assert_cmpint(ms_run_get_match(second), ==, MS_MATCH_IDENTICAL);
  g_assert_cmpint(ms_run_get_match(wrong), ==, MS_MATCH_DIFFERENT);
  g_assert_cmpint(ms_run_get_match(incomparable), ==, MS_MATCH_UNKNOWN);
  /* Equal pictures are kept once. */
  g_assert_true(ms_run_get_result(first) == ms_run_get_result(second));
  ms_document_set_memory_bound(document, 2 * 8 * 8 * 4);
  g_assert_true(ms_run_has_result(wrong));
  ms_document_set_memory_bound(document, 2 * 8 * 8 * 4 - 1);
  g_assert_true(ms_run_has_result(first));
  g_assert_false(ms_run_has_result(wrong));
  g_assert_cmpint(ms_run_get_match(wrong), ==, MS_MATCH_DIFFERENT);
  ms_document_remove_run(document, first);
  ms_document_remove_run(document, first); /* which a table may still show */
  g_assert_cmpint(ms_run_get_match(wrong), ==, MS_MATCH_BASELINE);
  g_assert_cmpint(ms_run_get_match(second), ==, MS_MATCH_DIFFERENT);
}

/* Files of every format have thumbnails; what modules of gdk-pixbuf decode is never decoded in this process. */
static void
test_thumbnails(void)
{
  static const char gif[] = "GIF89a\2\0\2\0\x80\0\0\xff\0\0\0\0\xff,\0\0\0\0\2\0\2\0\0\2\3\x44\2\5\0;";
  g_autofree char *folder = ms_test_folder_new(), *usual = g_strdup(g_getenv(MS_PIXBUF_LOADER_VARIABLE));
  g_autofree char *small = g_build_filename(folder, "a.gif", NULL), *large = g_build_filename(folder, "b.png", NULL);
  g_autoptr(MsImage) image = ms_test_image_smooth(400, 200, NULL);
  g_autoptr(GBytes) png = ms_test_encode(image, MS_IMAGE_FORMAT_PNG);

  g_assert_true(g_file_set_contents(small, gif, sizeof gif - 1, NULL));
  g_assert_true(g_file_set_contents(large, g_bytes_get_data(png, NULL), (gssize)g_bytes_get_size(png), NULL));
  g_autoptr(GdkPixbuf) of_png = ms_thumbnail_load(large, 100, 100, 0);
  g_assert_cmpint(gdk_pixbuf_get_width(of_png), ==, 100);
  g_assert_null(ms_thumbnail_load(large, 100, 100, 399 * 200));
  g_assert_null(ms_thumbnail_load(folder, 100, 100, 0));
  if (ms_codec_is_readable(ms_codec_get(MS_IMAGE_FORMAT_GIF))) {
    g_autoptr(GdkPixbuf) of_gif = ms_thumbnail_load(small, 100, 100, 0);
    g_assert_cmpint(gdk_pixbuf_get_width(of_gif), ==, 2);
    g_setenv(MS_PIXBUF_LOADER_VARIABLE, "/nonexistent", TRUE);
    g_assert_null(ms_thumbnail_load(small, 100, 100, 0));
    g_setenv(MS_PIXBUF_LOADER_VARIABLE, usual, TRUE);
  }
  ms_test_folder_remove(g_steal_pointer(&folder));
}

int
main(int argc, char **argv)
{
  if (argc == 4 && strcmp(argv[1], WRITER) == 0)
    return write_presets(argv[2], argv[3]);
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/plain-labels", test_plain_labels);
  g_test_add_func("/geometry/fit", test_fit);
  g_test_add_func("/geometry/zoom-at-pointer", test_zoom_at_pointer);
  g_test_add_func("/geometry/pan-stops-at-edges", test_pan_stops_at_edges);
  g_test_add_func("/geometry/empty-pane", test_empty_pane);
  g_test_add_func("/history/steps", test_history);
  g_test_add_func("/history/steps/choices", test_choices_are_steps);
  g_test_add_func("/history/is-bounded", test_history_is_bounded);
  g_test_add_func("/presets/own", test_presets);
  g_test_add_func("/presets/foreign", test_foreign_presets);
  g_test_add_func("/presets/shared", test_shared_presets);
  g_test_add_func("/presets/hostile-names", test_hostile_presets);
  g_test_add_func("/presets/processes", test_presets_of_processes);
  g_test_add_func("/presets/followed", test_presets_are_followed);
  g_test_add_func("/readout/window", test_readout);
  g_test_add_func("/picture/levels", test_picture_levels);
  g_test_add_func("/picture/difference-is-not-lost", test_difference_is_not_lost);
  g_test_add_func("/picture/odd-sizes", test_picture_odd_sizes);
  g_test_add_func("/pixbuf/there-and-back", test_pixbuf);
  g_test_add_func("/runs/are-judged", test_runs_are_judged);
  g_test_add_func("/parts/thumbnails", test_thumbnails);
  g_test_add_func("/picture/colours", test_picture_colours);
  g_test_add_func("/thumbnails/colours", test_thumbnail_colours);
  return g_test_run();
}
