/* SPDX-License-Identifier: MIT */
/* Image statistics against known values and numpy; comparison of two images; the stored bandwidth. */
#include <glib/gstdio.h>
#include <math.h>

#include "core/image/image-io.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"
#include "tests/support/fixture.h"
#include "tests/support/image-files.h"

static void
test_known(void)
{
  guint64 counts[256] = {0};
  MsChannelStatistics s;

  counts[0] = 1, counts[10] = 2, counts[255] = 1;
  ms_channel_statistics_from_counts(counts, &s);
  g_assert_cmpuint(s.count, ==, 4);
  g_assert_cmpuint(s.sum, ==, 275);
  g_assert_cmpuint(s.min, ==, 0);
  g_assert_cmpuint(s.max, ==, 255);
  g_assert_cmpfloat(s.mean, ==, 68.75);
  g_assert_cmpfloat(s.median, ==, 10);
  g_assert_cmpfloat_with_epsilon(s.stddev, sqrt((4 * 65225.0 - 275.0 * 275.0) / 16), 1e-12);
  g_assert_cmpuint(s.nonzero, ==, 3);
  g_assert_cmpuint(s.clipped_low, ==, 1);
  g_assert_cmpuint(s.clipped_high, ==, 1);
  g_assert_cmpfloat_with_epsilon(s.percentiles[0], 0.3, 1e-12);
  g_assert_cmpfloat_with_epsilon(s.percentiles[5], 10 + 245 * 0.97, 1e-12);
}

static void
test_single_pixel(void)
{
  guint64 counts[256] = {0};
  MsChannelStatistics s;

  counts[7] = 1;
  ms_channel_statistics_from_counts(counts, &s);
  g_assert_cmpfloat(s.stddev, ==, 0);
  g_assert_cmpfloat(s.median, ==, 7);
  g_assert_cmpfloat(s.percentiles[0], ==, 7);
  g_assert_cmpfloat(s.percentiles[5], ==, 7);
}

static MsImage *
load_or_noise(const char *name)
{
  const char *folder = g_getenv("MS_TEST_IMAGES");
  g_autofree char *path = g_build_filename(folder ? folder : "", name, NULL);
  g_autoptr(MsImage) image = g_getenv("MS_TEST_OCLGRIND") ? NULL : ms_image_load(path, NULL, NULL, NULL);

  return image ? g_steal_pointer(&image) : ms_fixture_noise(37, 29, 5);
}

static void
test_device_equals_serial(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(MsImage) image = load_or_noise("photographs/chelsea.png");
  g_autofree MsImageStatistics *found = g_new(MsImageStatistics, 1), *expected = g_new(MsImageStatistics, 1);
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_image_statistics(&(MsDeviceRun){context, log, NULL}, image, found, &error));
  g_assert_no_error(error);
  ms_fixture_statistics(ms_image_get_pixels(image), ms_image_get_byte_size(image) / 4, expected);
  g_assert_cmpmem(found->channels, sizeof found->channels, expected->channels, sizeof expected->channels);
  g_assert_cmpmem(&found->histogram, sizeof found->histogram, &expected->histogram, sizeof expected->histogram);
  g_assert_cmpfloat(found->timed.kernel_ms, >, 0);
  g_assert_cmpfloat(found->timed.gb_per_s, >, 0);
  g_assert_cmpfloat(found->timed.peak_share, >, 0);
  g_assert_cmpuint(ms_timing_log_get_length(log), >, 0);
}

/* "r.mean=127.5" as the script prints it. */
static double
value_of(GHashTable *values, const char *channel, const char *name)
{
  g_autofree char *key = g_strdup_printf("%s.%s", channel, name);
  const char *text = g_hash_table_lookup(values, key);

  g_assert_nonnull(text);
  return g_ascii_strtod(text, NULL);
}

static GHashTable *
ask_numpy(const char *raw, int *status)
{
  g_autofree char *script = g_build_filename(g_getenv("G_TEST_SRCDIR"), "reduce", "numpy-statistics.py", NULL);
  const char *const argv[] = {"/usr/bin/python3", script, raw, NULL};
  g_autofree char *out = NULL;
  GHashTable *values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

  if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, status, NULL)) {
    *status = 77 << 8;
    return values;
  }
  g_auto(GStrv) lines = g_strsplit(out ? out : "", "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    char **parts = g_strsplit(lines[i], "=", 2);
    if (parts[0] && parts[1])
      g_hash_table_insert(values, g_strdup(parts[0]), g_strdup(parts[1]));
    g_strfreev(parts);
  }
  return values;
}

static void
compare_channel(const MsImageStatistics *found, int c, GHashTable *values)
{
  static const char *const percentiles[] = {"p1", "p5", "p25", "p75", "p95", "p99"};
  const MsChannelStatistics *s = &found->channels[c];
  const char *name = ms_image_channel_name(c);

  g_assert_cmpfloat((double)s->count, ==, value_of(values, name, "count"));
  g_assert_cmpfloat(s->min, ==, value_of(values, name, "min"));
  g_assert_cmpfloat(s->max, ==, value_of(values, name, "max"));
  g_assert_cmpfloat((double)s->sum, ==, value_of(values, name, "sum"));
  g_assert_cmpfloat((double)s->nonzero, ==, value_of(values, name, "nonzero"));
  g_assert_cmpfloat((double)s->clipped_low, ==, value_of(values, name, "clipped_low"));
  g_assert_cmpfloat((double)s->clipped_high, ==, value_of(values, name, "clipped_high"));
  g_assert_cmpfloat_with_epsilon(s->mean, value_of(values, name, "mean"), 1e-9);
  g_assert_cmpfloat_with_epsilon(s->stddev, value_of(values, name, "stddev"), 1e-9);
  g_assert_cmpfloat(s->median, ==, value_of(values, name, "median"));
  for (guint i = 0; i < G_N_ELEMENTS(percentiles); i++)
    g_assert_cmpfloat_with_epsilon(s->percentiles[i], value_of(values, name, percentiles[i]), 1e-9);
  for (int v = 0; v < 256; v++) {
    g_autofree char *bin = g_strdup_printf("bin%d", v);
    g_assert_cmpfloat((double)found->histogram.counts[c][v], ==, value_of(values, name, bin));
  }
}

static void
test_numpy(void)
{
  SET_UP_CONTEXT(context);
  g_autoptr(MsImage) image = load_or_noise("photographs/coffee.png");
  g_autofree MsImageStatistics *found = g_new(MsImageStatistics, 1);
  g_autofree char *folder = g_dir_make_tmp("ms-statistics-XXXXXX", NULL);
  g_autofree char *raw = g_build_filename(folder, "pixels.raw", NULL);
  g_autoptr(GError) error = NULL;
  int status = 0;

  g_assert_true(
    g_file_set_contents(raw, (const char *)ms_image_get_pixels(image), (gssize)ms_image_get_byte_size(image), &error));
  g_autoptr(GHashTable) values = ask_numpy(raw, &status);
  g_unlink(raw);
  g_rmdir(folder);
  if (status == 77 << 8) {
    if (g_getenv("CI"))
      g_error("CI must have python3-numpy.");
    g_test_skip("python3-numpy is absent.");
    return;
  }
  g_assert_cmpint(status, ==, 0);
  g_assert_true(ms_image_statistics(&(MsDeviceRun){context, NULL, NULL}, image, found, &error));
  for (int c = 0; c < MS_N_CHANNELS; c++)
    compare_channel(found, c, values);
}

static void
test_comparison_known(void)
{
  const guint8 a[] = {10, 20, 30, 255, 0, 0, 0, 255}, b[] = {13, 20, 30, 255, 0, 0, 0, 255};
  MsImageComparison c;

  ms_image_comparison_of_pixels(a, b, 2, &c);
  g_assert_cmpuint(c.changed, ==, 1);
  g_assert_cmpuint(c.max_difference, ==, 3);
  g_assert_cmpfloat(c.mean_absolute, ==, 0.5);
  g_assert_cmpfloat_with_epsilon(c.psnr, 10 * log10(65025 / 1.5), 1e-9);
  ms_image_comparison_of_pixels(a, a, 2, &c);
  g_assert_true(isinf(c.psnr));
}

static void
test_comparison_sizes_differ(void)
{
  g_autoptr(MsImage) a = ms_fixture_noise(3, 4, 1), b = ms_fixture_noise(4, 3, 1);
  g_autoptr(GError) error = NULL;
  MsImageComparison c;

  g_assert_false(ms_image_comparison(a, b, &c, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_USAGE);
}

static JsonNode *
json_of(const MsImageStatistics *statistics)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  json_builder_set_member_name(builder, "statistics");
  ms_image_statistics_add_json(statistics, builder);
  json_builder_set_member_name(builder, "histogram");
  ms_histogram_add_json(&statistics->histogram, builder);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}

/* The time of a pass on a device is reported; unknown values are null. */
static void
test_json_timing(void)
{
  static const char *const names[] = {"kernel_ms", "gb_per_s", "peak_share"};
  g_autofree MsImageStatistics *s = g_new0(MsImageStatistics, 1);

  s->timed.kernel_ms = 2.5;
  s->timed.gb_per_s = 40;
  g_autoptr(JsonNode) root = json_of(s);
  JsonObject *statistics = json_object_get_object_member(json_node_get_object(root), "statistics");
  g_assert_cmpfloat(json_object_get_double_member(statistics, names[0]), ==, 2.5);
  g_assert_cmpfloat(json_object_get_double_member(statistics, names[1]), ==, 40);
  g_assert_true(json_object_get_null_member(statistics, names[2]));
  g_assert_cmpuint(json_object_get_size(statistics), ==, MS_N_CHANNELS + G_N_ELEMENTS(names));
}

/* The members that the schema of reports requires. */
static void
test_json(void)
{
  static const char *const values[] = {"min", "max", "mean", "stddev", "median", "sum",         "nonzero",     "p1",
                                       "p5",  "p25", "p75",  "p95",    "p99",    "clipped_low", "clipped_high"};
  g_autoptr(MsImage) image = ms_fixture_noise(9, 9, 3);
  g_autofree MsImageStatistics *s = g_new(MsImageStatistics, 1);

  ms_fixture_statistics(ms_image_get_pixels(image), 81, s);
  g_autoptr(JsonNode) root = json_of(s);
  JsonObject *statistics = json_object_get_object_member(json_node_get_object(root), "statistics");
  JsonObject *histogram = json_object_get_object_member(json_node_get_object(root), "histogram");
  for (int c = 0; c < MS_N_CHANNELS; c++) {
    JsonObject *channel = json_object_get_object_member(statistics, ms_image_channel_name(c));
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
      g_assert_true(json_object_has_member(channel, values[i]));
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(histogram, ms_image_channel_name(c))), ==, 256);
    g_assert_cmpint(json_object_get_int_member(channel, "sum"), ==, (gint64)s->channels[c].sum);
  }
}

static void
test_bandwidth_is_remembered(void)
{
  SET_UP_CONTEXT(context);
  g_autofree char *folder = g_dir_make_tmp("ms-bandwidth-XXXXXX", NULL);
  MsBandwidth first, second;
  g_autoptr(GError) error = NULL;

  g_assert_false(ms_bandwidth_load(context, folder, &first));
  g_assert_true(ms_bandwidth_get(context, folder, &first, NULL, &error));
  g_assert_no_error(error);
  g_assert_cmpfloat(first.read, >, 0);
  g_assert_cmpfloat(first.copy, >, 0);
  g_assert_true(ms_bandwidth_load(context, folder, &second));
  g_assert_cmpfloat(first.read, ==, second.read);
  g_assert_cmpfloat(first.copy, ==, second.copy);
  g_autoptr(GPtrArray) files = ms_test_list_files(folder, ".ini");
  g_assert_cmpuint(files->len, ==, 1);
  g_assert_true(g_file_set_contents(g_ptr_array_index(files, 0), "damaged", -1, NULL));
  g_assert_false(ms_bandwidth_load(context, folder, &second));
  g_unlink(g_ptr_array_index(files, 0));
  g_rmdir(folder);
}

/* A folder that cannot be created: its parent is a file. */
static void
test_bandwidth_without_a_folder(void)
{
  SET_UP_CONTEXT(context);
  g_autofree char *place = g_dir_make_tmp("ms-bandwidth-XXXXXX", NULL);
  g_autofree char *file = g_build_filename(place, "file", NULL);
  g_autofree char *folder = g_build_filename(file, "bandwidth", NULL);
  g_autoptr(GCancellable) cancelled = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  MsBandwidth first, second;

  g_assert_true(g_file_set_contents(file, "", 0, NULL));
  g_cancellable_cancel(cancelled);
  g_assert_false(ms_bandwidth_get(context, folder, &first, cancelled, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error(&error);
  /* The cancelled measurement is repeated; its result is kept in memory, so that a cancelled query gets it. */
  g_assert_true(ms_bandwidth_get(context, folder, &first, NULL, &error));
  g_assert_no_error(error);
  g_assert_false(ms_bandwidth_load(context, folder, &second));
  g_assert_true(ms_bandwidth_get(context, folder, &second, cancelled, &error));
  g_assert_no_error(error);
  g_assert_cmpfloat(first.read, ==, second.read);
  g_assert_cmpfloat(first.copy, ==, second.copy);
  g_unlink(file);
  g_rmdir(place);
}

static gpointer
ask_for_bandwidth(gpointer data)
{
  MsBandwidth *bandwidth = g_new0(MsBandwidth, 1);

  g_assert_true(ms_bandwidth_get(data, "/dev/null/nowhere", bandwidth, NULL, NULL));
  return bandwidth;
}

/* Threads that query at once share one measurement: the others wait for the first. */
static void
test_bandwidth_in_threads(void)
{
  SET_UP_CONTEXT(context);
  GThread *threads[4];
  MsBandwidth *found[G_N_ELEMENTS(threads)];

  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("bandwidth", ask_for_bandwidth, context);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    found[i] = g_thread_join(threads[i]);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    g_assert_cmpmem(found[i], sizeof *found[i], found[0], sizeof *found[0]);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    g_free(found[i]);
}

/* Pixels without data are left out on the device and on the host, in a picture without any other as well. */
static void
check_no_data(MsContext *context, MsImage *map)
{
  const MsDeviceRun run = {context, NULL, NULL};
  const guint8 *p = ms_image_get_pixels(map);
  const gsize n = ms_image_get_byte_size(map) / 4;
  g_autofree guint8 *with_data = g_malloc(4 * n);
  g_autofree MsImageStatistics *found = g_new0(MsImageStatistics, 1), *expected = g_new0(MsImageStatistics, 1);
  MsImageComparison c;
  g_autoptr(GError) error = NULL;
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    if (p[4 * i] || p[4 * i + 1] || p[4 * i + 2])
      memcpy(with_data + 4 * count++, p + 4 * i, 4);
  g_assert_cmpuint(count, <, n);
  ms_fixture_statistics(with_data, count, expected);
  g_assert_true(ms_image_statistics(&run, map, found, &error));
  g_assert_no_error(error);
  g_assert_cmpmem(&found->histogram, sizeof found->histogram, &expected->histogram, sizeof expected->histogram);
  g_assert_cmpmem(found->channels, sizeof found->channels, expected->channels, sizeof expected->channels);
  g_assert_true(ms_image_comparison(map, map, &c, &error));
  g_assert_cmpuint(c.pixels, ==, count);
  g_assert_cmpfloat(c.mean_absolute, ==, 0);
}

static void
test_no_data(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) map = ms_fixture_map(61, 40, NULL);
  g_autoptr(MsImage) empty = ms_image_new_take(9, 7, g_malloc0(9 * 7 * 4), ms_image_get_metadata(map));

  check_no_data(NULL, map);
  check_no_data(NULL, empty);
  if (context) {
    check_no_data(context, map);
    check_no_data(context, empty);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/statistics/no-data", test_no_data);
  g_test_add_func("/statistics/known", test_known);
  g_test_add_func("/statistics/single-pixel", test_single_pixel);
  g_test_add_func("/statistics/device-equals-serial", test_device_equals_serial);
  g_test_add_func("/statistics/numpy", test_numpy);
  g_test_add_func("/statistics/comparison-known", test_comparison_known);
  g_test_add_func("/statistics/comparison-sizes-differ", test_comparison_sizes_differ);
  g_test_add_func("/statistics/json", test_json);
  g_test_add_func("/statistics/json-timing", test_json_timing);
  g_test_add_func("/statistics/bandwidth-is-remembered", test_bandwidth_is_remembered);
  /* The kernels are those of the test above, and Oclgrind takes long for them. */
  if (!g_getenv("MS_TEST_OCLGRIND")) {
    g_test_add_func("/statistics/bandwidth-without-a-folder", test_bandwidth_without_a_folder);
    g_test_add_func("/statistics/bandwidth-in-threads", test_bandwidth_in_threads);
  }
  return g_test_run();
}
