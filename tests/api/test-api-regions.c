/* SPDX-License-Identifier: MIT */
/* The regions of the public library: labels, table, neighbours and images, on a device and by the serial reference. */
#include <string.h>

#include "api-fixture.h"

/* Blocks of 8x8 pixels in different colours, with some single pixels of another one. */
static MslabImage *
make_blocks(void)
{
  static guint8 blocks[HEIGHT][WIDTH][4];
  g_autoptr(GBytes) bytes = g_bytes_new_static(blocks, sizeof blocks);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int k = 0; k < 4; k++)
        blocks[y][x][k] = (x * 5 + y * 7) % 61 == 0 ? 255 : (guint8)((x / 8 * 37 + y / 8 * 61 + k * 29) % 200);
  return mslab_image_new(bytes, WIDTH, HEIGHT, WIDTH * 4, 4, NULL);
}

static MslabRegions *
find_regions(MslabEngine *engine, MslabImage *image, MslabSettings *settings, guint min_pixels)
{
  g_autoptr(GError) error = NULL;
  MslabRegions *regions = mslab_engine_find_regions(engine, image, settings, min_pixels, NULL, &error);

  g_assert_no_error(error);
  return regions;
}

/* Compares the table of a region with counts over the labels. */
static void
check_region(MslabRegions *regions, const guint8 *samples, const guint32 *labels, guint label)
{
  MslabRegion row;
  guint64 n = 0, sum_x = 0, red = 0;

  mslab_regions_get_region(regions, label, &row);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      if (labels[y * WIDTH + x] == label) {
        g_assert_true(x >= row.left && x <= row.right && y >= row.top && y <= row.bottom);
        n++;
        sum_x += x;
        red += samples[(y * WIDTH + x) * 4];
      }
  g_assert_cmpuint(row.pixels, ==, n);
  g_assert_cmpfloat_with_epsilon(row.x, (double)sum_x / n, 1e-9);
  g_assert_cmpfloat_with_epsilon(row.mean[0], (double)red / n, 1e-9);
}

static void
check_neighbours(MslabRegions *regions, guint label)
{
  gsize n = 0, n_back = 0;
  const guint32 *found = mslab_regions_get_neighbours(regions, label, &n);

  for (gsize i = 0; i < n; i++) {
    const guint32 *back = mslab_regions_get_neighbours(regions, found[i], &n_back);
    gboolean mutual = FALSE;
    for (gsize k = 0; k < n_back; k++)
      mutual = mutual || back[k] == label;
    g_assert_true(mutual && found[i] != label);
  }
}

static void
check_means(MslabRegions *regions, const guint32 *labels)
{
  g_autoptr(MslabImage) means = mslab_regions_get_means(regions);
  g_autoptr(GBytes) bytes = mslab_image_get_pixels(means);
  const guint8 *p = g_bytes_get_data(bytes, NULL);
  MslabRegion row;

  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    mslab_regions_get_region(regions, labels[i], &row);
    g_assert_cmpuint(p[i * 4 + 1], ==, (guint)(row.mean[1] + 0.5));
  }
}

static void
test_regions(void)
{
  g_autoptr(MslabImage) image = make_blocks();
  g_autoptr(GBytes) samples = mslab_image_get_pixels(image);
  g_autoptr(MslabEngine) device = api_fixture_open("cpu");
  g_autoptr(MslabEngine) serial = api_fixture_open("reference");
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_assert_true(mslab_settings_set(settings, "sp", "4", NULL));
  g_autoptr(MslabRegions) all = find_regions(serial, image, settings, 0);
  int done[2] = {0};
  mslab_engine_set_progress(serial, api_fixture_on_progress, &done[0], NULL);
  mslab_engine_set_progress(device, api_fixture_on_progress, &done[1], NULL);
  g_autoptr(MslabRegions) regions = find_regions(device, image, settings, 12);
  g_autoptr(MslabRegions) expected = find_regions(serial, image, settings, 12);
  g_assert_cmpint(done[0], ==, HEIGHT);
  g_assert_cmpint(done[1], ==, HEIGHT);
  g_autoptr(GBytes) bytes = mslab_regions_get_labels(regions);
  g_autoptr(GBytes) expected_bytes = mslab_regions_get_labels(expected);
  guint n = mslab_regions_get_count(regions);

  g_assert_true(g_bytes_equal(bytes, expected_bytes));
  g_assert_cmpuint(g_bytes_get_size(bytes), ==, WIDTH * HEIGHT * 4);
  g_assert_cmpuint(n, >, 1);
  g_assert_cmpuint(n, <, mslab_regions_get_count(all));
  g_clear_object(&regions);
  const guint32 *labels = g_bytes_get_data(bytes, NULL);
  for (guint label = 1; label <= n; label++) {
    check_region(expected, g_bytes_get_data(samples, NULL), labels, label);
    check_neighbours(expected, label);
  }
  check_means(expected, labels);
}

static void
test_region_outputs(void)
{
  g_autoptr(MslabImage) image = make_blocks();
  g_autoptr(MslabEngine) engine = api_fixture_open("reference");
  g_autoptr(MslabRegions) regions = find_regions(engine, image, NULL, 20);
  g_autoptr(MslabImage) outlines = mslab_regions_get_outlines(regions);
  g_autoptr(GBytes) bytes = mslab_image_get_pixels(outlines);
  g_autofree char *csv = mslab_regions_to_csv(regions);
  g_autofree char *json = mslab_regions_to_json(regions);
  g_auto(GStrv) lines = g_strsplit(csv, "\r\n", 0);

  g_assert_cmpuint(mslab_regions_get_count(regions), >, 1);
  g_assert_cmpuint(g_strv_length(lines), ==, mslab_regions_get_count(regions) + 2);
  g_assert_nonnull(strstr(json, "\"regions\""));
  g_assert_nonnull(memmem(g_bytes_get_data(bytes, NULL), WIDTH * HEIGHT * 4, "\xff\x00\x00\xff", 4));
}

static void
test_region_refusals(gconstpointer selector)
{
  g_autoptr(MslabImage) image = make_blocks();
  g_autoptr(MslabEngine) engine = api_fixture_open(selector);
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_autoptr(GError) error = NULL;

  g_assert_true(mslab_settings_set(settings, "rule", "replicate", NULL));
  g_assert_null(mslab_engine_find_regions(engine, image, settings, 0, NULL, &error));
  g_assert_nonnull(error);
  g_assert_true(g_str_has_suffix(error->message, "."));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/api/regions", test_regions);
  g_test_add_func("/api/regions/outputs", test_region_outputs);
  g_test_add_data_func("/api/regions/refusals/device", "cpu", test_region_refusals);
  g_test_add_data_func("/api/regions/refusals/reference", "reference", test_region_refusals);
  return g_test_run();
}
