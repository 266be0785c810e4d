/* SPDX-License-Identifier: MIT */
/* The part of the picture that is drawn, and its position, in every mode and at every zoom. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "tests/gui/window-fixture.h"
#include "tests/support/profiles.h"
#include "ui/document/document.h"
#include "ui/document/picture-regions.h"
#include "ui/image-view/image-view-private.h"
#include "ui/image-view/image-view.h"
#include "ui/window/window.h"

static guint32
pixel_at(cairo_surface_t *surface, int x, int y)
{
  return *(guint32 *)(void *)(cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface) +
                              4 * x) &
         0xffffff;
}

static guint32
expected_at(MsImage *image, int x, int y)
{
  const guint8 *p = ms_image_get_pixels(image) + ((gsize)y * ms_image_get_width(image) + x) * 4;

  return (guint32)p[0] << 16 | p[1] << 8 | p[2];
}

/* A picture of 300x200 at 1:1 in the view's middle; @x0, @y0: (out): where its first pixel is drawn */
static MsImageView *
open_opaque(WindowFixture *fixture, int *x0, int *y0)
{
  g_autoptr(MsImage) scene = window_fixture_opaque_scene(300, 200);
  g_autoptr(GFile) file = window_fixture_write(fixture, scene, "opaque.png");

  window_fixture_open(fixture, file);
  MsImageView *view = ms_window_get_view(fixture->window);
  *x0 = (int)round(gtk_widget_get_allocated_width(GTK_WIDGET(view)) / 2.0 - 150);
  *y0 = (int)round(gtk_widget_get_allocated_height(GTK_WIDGET(view)) / 2.0 - 100);
  ms_image_view_set_zoom(view, 1);
  return view;
}

/* Compares the pixels drawn at 1:1 in every mode. */
static void
test_modes(void)
{
  SET_UP(fixture);
  int x0, y0;
  MsImageView *view = open_opaque(&fixture, &x0, &y0);
  MsDocument *document = ms_window_get_document(fixture.window);
  MsImage *source = ms_document_get_source(document), *result = ms_document_get_picture_b(document);
  int height = gtk_widget_get_allocated_height(GTK_WIDGET(view));
  const int points[][2] = {{20, 90}, {140, 60}, {160, 150}, {280, 90}};

  for (int mode = 0; ms_view_mode_names[mode]; mode++) {
    g_autofree char *action = g_strdup_printf("view-mode::%s", ms_view_mode_names[mode]);
    window_fixture_activate(&fixture, action);
    g_assert_cmpint(ms_image_view_get_mode(view), ==, mode);
    /* The picture must not move when a mode shows further controls. */
    g_assert_cmpint(gtk_widget_get_allocated_height(GTK_WIDGET(view)), ==, height);
    g_autoptr(cairo_surface_t) surface = window_fixture_render(&fixture);
    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
      int x = points[i][0], y = points[i][1];
      guint32 a = expected_at(source, x, y), b = expected_at(result, x, y);
      guint32 expected = mode == MS_VIEW_ORIGINAL || (mode == MS_VIEW_SPLIT && x < 150) ? a : b;
      if (mode == MS_VIEW_SIDE_BY_SIDE || mode == MS_VIEW_REGIONS)
        continue;
      if (mode == MS_VIEW_DIFFERENCE) {
        expected = 0;
        for (int shift = 0; shift < 24; shift += 8)
          expected |= (guint32)MIN(abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) * 8, 255) << shift;
      }
      g_assert_cmphex(pixel_at(surface, x0 + x, y0 + y), ==, expected);
    }
  }
}

/* Whatever side A shows, the view of the original and the space bar show the original. */
static void
test_original_beside_run(void)
{
  SET_UP(fixture);
  int x0, y0;
  MsImageView *view = open_opaque(&fixture, &x0, &y0);
  MsDocument *document = ms_window_get_document(fixture.window);
  MsImage *source = ms_document_get_source(document), *result = ms_document_get_picture_b(document);
  const int x = 20, y = 90;

  g_assert_cmphex(expected_at(source, x, y), !=, expected_at(result, x, y));
  ms_document_set_run_a(document, ms_document_get_current_run(document));
  for (int peek = 0; peek < 2; peek++) {
    window_fixture_activate(&fixture, peek ? "view-mode::split" : "view-mode::original");
    ms_image_view_set_peek(view, peek);
    g_autoptr(cairo_surface_t) surface = window_fixture_render(&fixture);
    g_assert_cmphex(pixel_at(surface, x0 + x, y0 + y), ==, expected_at(source, x, y));
  }
  ms_image_view_set_peek(view, FALSE);
  g_autoptr(cairo_surface_t) surface = window_fixture_render(&fixture);
  g_assert_cmphex(pixel_at(surface, x0 + x, y0 + y), ==, expected_at(result, x, y));
}

static void
test_view_moves(void)
{
  SET_UP(fixture);
  window_fixture_open_scene(&fixture, 3000, 300);
  MsImageView *view = ms_window_get_view(fixture.window);
  window_fixture_activate(&fixture, "zoom-fit");
  g_assert_cmpint(ms_image_view_get_visible(view).width, ==, 3000);
  g_assert_cmpfloat(ms_image_view_get_zoom(view), <, 1);
  window_fixture_activate(&fixture, "zoom-to(1.0)");
  g_assert_cmpfloat(ms_image_view_get_zoom(view), ==, 1);
  g_assert_cmpint(ms_image_view_get_visible(view).width, <, 3000);
  window_fixture_activate(&fixture, "zoom-to(16.0)");
  g_assert_true(find_label_with(GTK_WIDGET(fixture.window), "1600 %"));
  g_autoptr(cairo_surface_t) with_grid = window_fixture_render(&fixture);
  g_assert_cmpint(cairo_surface_status(with_grid), ==, CAIRO_STATUS_SUCCESS);
  window_fixture_activate(&fixture, "zoom-in");
  g_assert_cmpfloat(ms_image_view_get_zoom(view), >, 16);

  AtkObject *accessible = gtk_widget_get_accessible(GTK_WIDGET(view));
  g_assert_cmpint(atk_object_get_role(accessible), ==, ATK_ROLE_IMAGE);
  atk_value_set_value(ATK_VALUE(accessible), 25);
  g_assert_cmpfloat(ms_image_view_get_divider(view), ==, 0.25);
  g_assert_nonnull(strstr(atk_object_get_description(accessible), "scene-3000x300.png"));
}

static gboolean
is_painted(MsImageView *view)
{
  g_autofree char *text = ms_image_view_describe(view);

  return g_str_has_suffix(text, " regions");
}

/* The regions are drawn over the picture; the one that is clicked is marked, and its row is shown. */
static void
test_regions(void)
{
  SET_UP(fixture);
  int x0, y0;
  MsImageView *view = open_opaque(&fixture, &x0, &y0);
  window_fixture_activate(&fixture, "view-mode::regions");
  wait_for(60, is_painted(view));
  panel_fixture_settle();
  MsPictureRegions *regions = ms_picture_regions_of(ms_window_get_document(fixture.window));
  g_autoptr(MsImage) outlines = ms_region_picture_paint(
    MS_REGION_PICTURE_OUTLINES, ms_picture_regions_get_segmentation(regions), ms_picture_regions_get_table(regions),
    ms_document_get_source(ms_window_get_document(fixture.window)));
  g_autoptr(cairo_surface_t) before = window_fixture_render(&fixture);
  for (int x = 0; x < 300; x++)
    g_assert_cmphex(pixel_at(before, x0 + x, y0 + 150), ==, expected_at(outlines, x, 150));

  ms_image_view_click(view, x0 + 140, y0 + 150);
  const guint32 *row = ms_picture_regions_get_segmentation(regions)->labels + 150 * 300;
  g_assert_cmpuint(ms_picture_regions_get_selected(regions), ==, row[140]);
  g_autoptr(cairo_surface_t) after = window_fixture_render(&fixture);
  for (int x = 0; x < 300; x++)
    g_assert_true((pixel_at(after, x0 + x, y0 + 150) == expected_at(outlines, x, 150)) == (row[x] != row[140]));
  g_autofree char *page = g_settings_get_string(ms_application_get_settings(fixture.application), "details-page");
  g_assert_cmpstr(page, ==, "regions");
}

/* The processor time of this thread, which other work on the machine hardly changes. */
static double
thread_ms(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Fifty megapixels: every mode is drawn again and again within a frame, whatever the zoom. */
static void
test_fifty_megapixels(void)
{
  enum { WIDTH = 8192, HEIGHT = 6144 };
  guint8 *pixels = g_try_malloc((gsize)WIDTH * HEIGHT * 4);
  double worst = 0;

  if (!pixels) {
    g_test_skip("There is not enough memory for a picture of 50 megapixels.");
    return;
  }
  SET_UP(fixture);
  g_settings_set_boolean(ms_application_get_settings(fixture.application), "live", FALSE);
  for (gsize i = 0; i < (gsize)WIDTH * HEIGHT; i++) {
    const guint8 pixel[4] = {(guint8)(i >> 5), (guint8)(i >> 13), (guint8)(i * 7 >> 9), 255};
    memcpy(pixels + 4 * i, pixel, 4);
  }
  g_autoptr(MsImage) image = ms_image_new_take(WIDTH, HEIGHT, pixels, NULL);
  ms_window_add_image(fixture.window, image, NULL, "fifty megapixels");
  panel_fixture_settle();
  MsDocument *document = ms_window_get_document(fixture.window);
  g_assert_true(ms_document_set_option(document, "sp", "1", NULL));
  g_assert_true(ms_document_set_option(document, "max-iterations", "1", NULL));
  ms_document_request_filter(document);
  wait_for(120, ms_document_get_current_run(document) != NULL);
  window_fixture_wait_for_rest(&fixture);
  panel_fixture_settle();
  for (int zoom = 0; zoom < 3; zoom++)
    for (int mode = 0; ms_view_mode_names[mode]; mode++) {
      ms_image_view_set_zoom(ms_window_get_view(fixture.window), (const double[]){0.1, 0.7, 2}[zoom]);
      double start = thread_ms();
      ms_image_view_set_mode(ms_window_get_view(fixture.window), mode);
      g_autoptr(cairo_surface_t) surface = window_fixture_render(&fixture);
      double ms = thread_ms() - start;
      worst = MAX(worst, ms);
      g_test_message("%s at zoom %d: %.1f ms", ms_view_mode_names[mode], zoom, ms);
    }
  g_test_message("the slowest took %.1f ms", worst);
  /* The time of drawing must not depend on the size of the picture. */
  g_assert_cmpfloat(worst, <, 120);
}

/* The contrast of the left caption's text with its background, over a white picture. */
static double
contrast_of_caption(WindowFixture *fixture)
{
  g_autoptr(cairo_surface_t) surface = window_fixture_render(fixture);
  guint32 darkest = 0xffffff, brightest = 0;

  g_assert_cmphex(pixel_at(surface, 330, 60), ==, 0xffffff);
  for (int y = 15; y < 27; y++)
    for (int x = 20; x < 55; x++) {
      darkest = MIN(darkest, pixel_at(surface, x, y));
      brightest = MAX(brightest, pixel_at(surface, x, y));
    }
  return contrast(darkest, brightest);
}

/* Each view says what it shows, legibly on a white picture; so does a result of other settings. */
static void
test_captions_on_white(void)
{
  guint8 *pixels = g_malloc(1300 * 700 * 4);

  memset(pixels, 255, 1300 * 700 * 4);
  g_autoptr(MsImage) white = ms_image_new_take(1300, 700, pixels, NULL);
  SET_UP(fixture);
  g_autoptr(GFile) file = window_fixture_write(&fixture, white, "white.png");
  window_fixture_open(&fixture, file);
  ms_image_view_set_zoom(ms_window_get_view(fixture.window), 1);
  for (int mode = 0; ms_view_mode_names[mode]; mode++) {
    g_autofree char *action = g_strdup_printf("view-mode::%s", ms_view_mode_names[mode]);
    if (mode == MS_VIEW_DIFFERENCE || mode == MS_VIEW_REGIONS)
      continue;
    window_fixture_activate(&fixture, action);
    g_assert_cmpfloat(contrast_of_caption(&fixture), >=, 4.5);
  }
  window_fixture_activate(&fixture, "view-mode::filtered");
  ms_document_set_live(ms_window_get_document(fixture.window), FALSE);
  g_assert_true(ms_document_set_option(ms_window_get_document(fixture.window), "sr", "3", NULL));
  panel_fixture_settle();
  g_assert_cmpfloat(contrast_of_caption(&fixture), >=, 4.5);
}

/* Gives the monitor the profile @icc; %NULL for none. */
static void
set_screen_profile(GBytes *icc)
{
  GdkWindow *root = gdk_screen_get_root_window(gdk_screen_get_default());
  const GdkAtom name = gdk_atom_intern("_ICC_PROFILE", FALSE);
  gsize size = 0;
  const guchar *data = icc ? g_bytes_get_data(icc, &size) : NULL;

  if (icc)
    gdk_property_change(root, name, gdk_atom_intern("CARDINAL", FALSE), 8, GDK_PROP_MODE_REPLACE, data, (int)size);
  else
    gdk_property_delete(root, name);
}

/* The pixel in the middle of the picture as it is drawn at 1:1. */
static guint32
drawn_middle(WindowFixture *fixture)
{
  GtkWidget *view = GTK_WIDGET(ms_window_get_view(fixture->window));
  g_autoptr(cairo_surface_t) surface = window_fixture_render(fixture);

  return pixel_at(surface, gtk_widget_get_allocated_width(view) / 2, gtk_widget_get_allocated_height(view) / 2);
}

/* A pixel of the profile @from as it is drawn on a monitor of the profile @to. */
static guint32
converted(guint32 pixel, GBytes *from, GBytes *to)
{
  guint8 p[4] = {(guint8)(pixel >> 16), (guint8)(pixel >> 8), (guint8)pixel, 255};
  g_autoptr(MsColour) colour = ms_colour_new(from, MS_COLOUR_RGBA, to);

  ms_colour_convert(colour, p, 1);
  return (guint32)p[0] << 16 | (guint32)p[1] << 8 | p[2];
}

static void
on_profile_changed(int *count)
{
  (*count)++;
}

/* Sets the profile of the monitor and waits until the window knows. */
static void
change_screen_profile(WindowFixture *fixture, GBytes *icc)
{
  MsScreenColours *colours = ms_screen_colours_of(GTK_WIDGET(fixture->window));
  int count = 0;
  const gulong handler = g_signal_connect_swapped(colours, "changed", G_CALLBACK(on_profile_changed), &count);

  set_screen_profile(icc);
  wait_for(30, count > 0);
  g_signal_handler_disconnect(colours, handler);
}

/* Pictures are drawn through their profile to that of the monitor; their values stay as they are stored. */
static void
test_screen_profile(void)
{
  enum { WIDTH = 300, HEIGHT = 200 };
  static const guint8 pixel[4] = {200, 90, 40, 255};
  const guint32 stored = 0xc85a28;
  g_autoptr(GBytes) wide = ms_test_profile_wide(2.2), other = ms_test_profile_wide(1.8);
  g_autoptr(GBytes) damaged = g_bytes_new_static("a profile", 9);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(wide, NULL, 0, 0);
  guint8 *pixels = g_malloc((gsize)WIDTH * HEIGHT * 4);

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    memcpy(pixels + 4 * i, pixel, 4);
  g_autoptr(MsImage) image = ms_image_new_take(WIDTH, HEIGHT, pixels, metadata);
  set_screen_profile(NULL);
  SET_UP(fixture);
  g_autoptr(GFile) file = window_fixture_write(&fixture, image, "wide.png");
  window_fixture_open(&fixture, file);
  ms_image_view_set_zoom(ms_window_get_view(fixture.window), 1);
  for (int mode = MS_VIEW_ORIGINAL; mode <= MS_VIEW_FILTERED; mode++) {
    g_autofree char *action = g_strdup_printf("view-mode::%s", ms_view_mode_names[mode]);
    window_fixture_activate(&fixture, action);
    g_assert_cmphex(drawn_middle(&fixture), ==, converted(stored, wide, NULL));
    change_screen_profile(&fixture, wide);
    g_assert_cmphex(drawn_middle(&fixture), ==, stored);
    change_screen_profile(&fixture, other);
    g_assert_cmphex(drawn_middle(&fixture), ==, converted(stored, wide, other));
    g_assert_cmphex(drawn_middle(&fixture), !=, stored);
    change_screen_profile(&fixture, damaged);
    g_assert_cmphex(drawn_middle(&fixture), ==, converted(stored, wide, NULL));
    change_screen_profile(&fixture, NULL);
  }
  const guint8 *kept = ms_image_get_pixels(ms_document_get_source(ms_window_get_document(fixture.window)));
  g_assert_cmpmem(kept, 4, pixel, 4);
}

int
main(int argc, char **argv)
{
  gtk_test_init(&argc, &argv, NULL);
  g_test_add_func("/window/modes", test_modes);
  g_test_add_func("/window/regions", test_regions);
  g_test_add_func("/window/view-moves", test_view_moves);
  g_test_add_func("/window/screen-profile", test_screen_profile);
  g_test_add_func("/window/original-beside-run", test_original_beside_run);
  g_test_add_func("/window/captions-on-white", test_captions_on_white);
  g_test_add_func("/window/fifty-megapixels", test_fifty_megapixels);
  return window_fixture_run();
}
