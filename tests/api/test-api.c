/* SPDX-License-Identifier: MIT */
/* The public library: each type, with pixels compared with the serial reference. */
#include <glib/gstdio.h>
#include <string.h>

#include "api-fixture.h"

static guint8 pixels[HEIGHT][WIDTH][4];

static void
fill_pixels(void)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      guint8 sample[4] = {(guint8)(x * 2), (guint8)(y * 2), (guint8)((x * 7919 + y * 104729) % 31), 255};
      memcpy(pixels[y][x], sample, 4);
    }
}

static MslabImage *
make_image(void)
{
  g_autoptr(GBytes) bytes = g_bytes_new_static(pixels, sizeof pixels);
  g_autoptr(GError) error = NULL;
  MslabImage *image = mslab_image_new(bytes, WIDTH, HEIGHT, WIDTH * 4, 4, &error);

  g_assert_no_error(error);
  return image;
}

static MslabImage *
filter(MslabEngine *engine, MslabImage *image, MslabSettings *settings)
{
  g_autoptr(GError) error = NULL;
  MslabImage *result = mslab_engine_filter(engine, image, settings, NULL, &error);

  g_assert_no_error(error);
  return result;
}

static void
test_image(void)
{
  g_autoptr(MslabImage) image = make_image();
  g_autoptr(GBytes) bytes = mslab_image_get_pixels(image);
  guint8 rows[HEIGHT][WIDTH * 3 + 5];
  g_autoptr(GBytes) rgb = NULL;
  g_autoptr(MslabImage) again = NULL;

  g_assert_true(g_bytes_get_data(bytes, NULL) == (gconstpointer)pixels);
  mslab_image_copy_rows(image, &rows[0][0], sizeof rows[0], 3);
  rgb = g_bytes_new_static(rows, sizeof rows);
  again = mslab_image_new(rgb, WIDTH, HEIGHT, sizeof rows[0], 3, NULL);
  api_fixture_assert_equal(image, again);
}

/* A file that a process of its own decodes, also for a program that is none of this project. */
static void
test_image_gif(void)
{
  static const char gif[] = "GIF89a\2\0\2\0\x80\0\0\xff\0\0\0\0\xff,\0\0\0\0\2\0\2\0\0\2\3\x44\2\5\0;";
  g_autofree char *folder = g_dir_make_tmp("ms-api-XXXXXX", NULL), *path = g_build_filename(folder, "a.gif", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_true(g_file_set_contents(path, gif, sizeof gif - 1, NULL));
  g_autoptr(MslabImage) image = mslab_image_load(path, NULL, &error);
  g_remove(path);
  g_remove(folder);
  if (g_error_matches(error, MSLAB_ERROR, MSLAB_ERROR_UNSUPPORTED)) {
    g_test_skip(error->message);
    return;
  }
  g_assert_no_error(error);
  g_assert_cmpuint(mslab_image_get_width(image), ==, 2);
  g_assert_cmpuint(mslab_image_get_height(image), ==, 2);
}

static void
test_image_refusals(void)
{
  static const struct {
    int width;
    int height;
    gsize stride;
    int channels;
  } rows[] = {{0, 5, 20, 4}, {5, 0, 20, 4},   {5, 5, 19, 4}, {5, 6, 20, 4},
              {5, 5, 20, 2}, {26, 1, 400, 4}, {5, 2, 81, 4}};
  g_autoptr(GBytes) bytes = g_bytes_new_static(pixels, 100);

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(mslab_image_new(bytes, rows[i].width, rows[i].height, rows[i].stride, rows[i].channels, &error));
    g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
  }
}

static void
test_settings(void)
{
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_auto(GStrv) names = mslab_settings_list_names();
  g_autoptr(GError) error = NULL;
  g_autofree char *sp = NULL;

  g_assert_true(g_strv_contains((const char *const *)names, "max-iterations"));
  g_assert_true(mslab_settings_set_number(settings, "sp", 7.5, &error));
  g_assert_no_error(error);
  sp = mslab_settings_get(settings, "sp", &error);
  g_assert_cmpstr(sp, ==, "7.5");
  g_assert_false(mslab_settings_set(settings, "rule", "none", &error));
  g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
  g_clear_error(&error);
  g_assert_null(mslab_settings_get(settings, "nothing", &error));
  g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
}

static void
test_devices(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) devices = mslab_device_list(&error);

  g_assert_no_error(error);
  g_assert_cmpuint(devices->len, >, 0);
  for (guint i = 0; i < devices->len; i++) {
    MslabDevice *device = g_ptr_array_index(devices, i);
    const char *texts[] = {mslab_device_get_address(device), mslab_device_get_name(device),
                           mslab_device_get_platform(device), mslab_device_get_driver(device),
                           mslab_device_get_kind(device)};
    g_assert_nonnull(strchr(texts[0], ':'));
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++) {
      g_assert_cmpstr(texts[k], !=, "");
      for (guint other = 0; other < k; other++)
        g_assert_cmpstr(texts[k], !=, texts[other]);
    }
  }
  g_assert_null(mslab_engine_open("no such device", &error));
  g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_NO_DEVICE);
}

static void
test_filter(void)
{
  g_autoptr(MslabImage) image = make_image();
  g_autoptr(MslabEngine) device = api_fixture_open("cpu");
  g_autoptr(MslabEngine) serial = api_fixture_open("reference");
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  int rows = 0;

  g_assert_cmpstr(mslab_engine_get_name(serial), ==, "reference");
  g_assert_cmpstr(mslab_engine_get_name(device), !=, "reference");
  g_assert_true(mslab_settings_set(settings, "sp", "5", NULL));
  mslab_engine_set_progress(device, api_fixture_on_progress, &rows, NULL);
  g_autoptr(MslabImage) a = filter(device, image, settings);
  g_assert_cmpint(rows, ==, HEIGHT);
  g_autoptr(MslabImage) b = filter(serial, image, settings);
  api_fixture_assert_equal(a, b);
  g_autoptr(MslabImage) other = filter(device, image, NULL);
  g_autoptr(GBytes) five = mslab_image_get_pixels(a);
  g_autoptr(GBytes) ten = mslab_image_get_pixels(other);
  g_assert_false(g_bytes_equal(five, ten));
}

static MslabImage *
cut_rows(MslabImage *image, int first, int rows)
{
  g_autoptr(GBytes) bytes = mslab_image_get_pixels(image);
  g_autoptr(GBytes) part = g_bytes_new_from_bytes(bytes, (gsize)first * WIDTH * 4, (gsize)rows * WIDTH * 4);
  g_autoptr(GError) error = NULL;
  MslabImage *cut = mslab_image_new(part, WIDTH, rows, WIDTH * 4, 4, &error);

  g_assert_no_error(error);
  return cut;
}

/* With sp 2 and two iterations, six rows around a row decide it. */
static void
test_band(gconstpointer selector)
{
  g_autoptr(MslabImage) image = make_image();
  g_autoptr(MslabEngine) engine = api_fixture_open(selector);
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_autoptr(GError) error = NULL;

  g_assert_true(mslab_settings_set(settings, "sp", "2", NULL));
  g_assert_true(mslab_settings_set(settings, "max-iterations", "2", NULL));
  g_autoptr(MslabImage) whole = filter(engine, image, settings);
  for (int first = 0; first <= HEIGHT - 20; first++) {
    g_autoptr(MslabImage) band = cut_rows(image, first, 20);
    g_autoptr(MslabImage) result = mslab_engine_filter_band(engine, band, first, HEIGHT, settings, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(MslabImage) middle = cut_rows(result, 6, 8);
    g_autoptr(MslabImage) expected = cut_rows(whole, first + 6, 8);
    api_fixture_assert_equal(middle, expected);
  }
  /* The last of them lies past what an int holds, and the message says none of it. */
  const int outside[] = {1, -1, HEIGHT, G_MAXINT, G_MININT};
  for (gsize i = 0; i < G_N_ELEMENTS(outside); i++) {
    g_autofree char *expected =
      g_strdup_printf("The %d rows from row %d on do not lie in an image of %d rows.", HEIGHT, outside[i], HEIGHT);
    g_assert_null(mslab_engine_filter_band(engine, image, outside[i], HEIGHT, settings, NULL, &error));
    g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
    g_assert_cmpstr(error->message, ==, expected);
    g_clear_error(&error);
  }
}

static void
test_refused_settings(void)
{
  g_autoptr(MslabImage) image = make_image();
  g_autoptr(MslabEngine) engine = api_fixture_open("cpu");
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_autoptr(GError) error = NULL;

  g_assert_true(mslab_settings_set(settings, "rule", "truncate", NULL));
  g_assert_true(mslab_settings_set(settings, "sp", "2.5", NULL));
  g_assert_null(mslab_engine_filter(engine, image, settings, NULL, &error));
  g_assert_nonnull(error);
  g_assert_true(g_str_has_suffix(error->message, "."));
}

static void
keep_result(GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref(result);
}

static GAsyncResult *
wait_for(GAsyncResult **result)
{
  while (!*result)
    g_main_context_iteration(NULL, TRUE);
  return *result;
}

static void
test_async(void)
{
  g_autoptr(MslabImage) image = make_image();
  g_autoptr(MslabEngine) engine = api_fixture_open("cpu");
  g_autoptr(MslabSettings) settings = mslab_settings_new();
  g_autoptr(GAsyncResult) first = NULL;
  g_autoptr(GAsyncResult) second = NULL;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;

  mslab_engine_filter_async(engine, image, settings, NULL, keep_result, &first);
  g_assert_true(mslab_settings_set(settings, "sp", "3", NULL)); /* too late for the run above */
  g_cancellable_cancel(cancellable);
  mslab_engine_filter_async(engine, image, NULL, cancellable, keep_result, &second);
  g_autoptr(MslabImage) result = mslab_engine_filter_finish(engine, wait_for(&first), &error);
  g_assert_no_error(error);
  g_autoptr(MslabImage) expected = filter(engine, image, NULL);
  api_fixture_assert_equal(result, expected);
  g_assert_null(mslab_engine_filter_finish(engine, wait_for(&second), &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static gpointer
filter_on_thread(gpointer engine)
{
  g_autoptr(MslabImage) image = make_image();

  return filter(engine, image, NULL);
}

static void
test_threads(void)
{
  g_autoptr(MslabEngine) engine = api_fixture_open("cpu");
  GThread *threads[4];
  g_autoptr(MslabImage) expected = filter_on_thread(engine);

  for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new(NULL, filter_on_thread, engine);
  for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
    g_autoptr(MslabImage) result = g_thread_join(threads[i]);
    api_fixture_assert_equal(result, expected);
  }
}

static void
test_statistics(gconstpointer selector)
{
  g_autoptr(MslabImage) image = make_image();
  g_autoptr(MslabEngine) engine = api_fixture_open(selector);
  g_autoptr(GError) error = NULL;
  g_autoptr(MslabStatistics) statistics = mslab_engine_get_statistics(engine, image, NULL, &error);
  MslabChannelStatistics green;
  gsize n_bins = 0;
  guint64 sum = 0;

  g_assert_no_error(error);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      sum += pixels[y][x][1];
  mslab_statistics_get_channel(statistics, MSLAB_CHANNEL_G, &green);
  g_assert_cmpuint(green.sum, ==, sum);
  g_assert_cmpuint(green.count, ==, WIDTH * HEIGHT);
  g_assert_cmpuint(green.max, ==, (HEIGHT - 1) * 2);
  g_assert_cmpfloat(green.median, ==, HEIGHT / 2 * 2);
  const guint64 *counts = mslab_statistics_get_histogram(statistics, MSLAB_CHANNEL_A, &n_bins);
  g_assert_cmpuint(n_bins, ==, 256);
  g_assert_cmpuint(counts[255], ==, WIDTH * HEIGHT);
}

static MslabReduction *
reduce(MslabEngine *engine, const char *operation, GBytes *elements)
{
  g_autoptr(GError) error = NULL;
  MslabReduction *result = mslab_engine_reduce(engine, operation, "int", elements, NULL, &error);

  g_assert_no_error(error);
  return result;
}

static void
test_reduce(gconstpointer selector)
{
  static const gint32 numbers[] = {3, -7, 2147483647, 2147483647, 12};
  g_autoptr(GBytes) elements = g_bytes_new_static(numbers, sizeof numbers);
  g_autoptr(MslabEngine) engine = api_fixture_open(selector);
  g_autoptr(MslabReduction) sum = reduce(engine, "sum", elements);
  g_autoptr(MslabReduction) range = reduce(engine, "minMax-positions", elements);
  g_autofree char *text = mslab_reduction_get_text(sum);
  double low = 0, high = 0;
  guint64 low_at = 0, high_at = 0;

  g_assert_cmpstr(text, ==, "4294967302");
  g_assert_cmpfloat(mslab_reduction_get_number(sum), ==, 4294967302.0);
  g_assert_false(mslab_reduction_get_range(sum, &low, &high));
  g_assert_true(mslab_reduction_get_range(range, &low, &high));
  g_assert_cmpfloat(low, ==, -7);
  g_assert_cmpfloat(high, ==, 2147483647);
  g_assert_true(mslab_reduction_get_positions(range, &low_at, &high_at));
  g_assert_cmpuint(low_at, ==, 1);
  g_assert_cmpuint(high_at, ==, 2);
}

/* The names of all operations, from the message that refuses another one: "…; it takes one of: sum, min, …." */
static char **
list_operations(MslabEngine *engine)
{
  g_autoptr(GBytes) elements = g_bytes_new_static(pixels, 6);
  g_autoptr(GError) error = NULL;

  g_assert_null(mslab_engine_reduce(engine, "product", "uchar", elements, NULL, &error));
  char *list = strrchr(error->message, ':');
  g_assert_nonnull(list);
  list[strlen(list) - 1] = '\0';
  return g_strsplit(list + 2, ", ", -1);
}

/* What the functions give is what the text says: "6", "-7 3", or "-7 at 1, 3 at 0". */
static void
assert_is_text(MslabReduction *result, const char *operation)
{
  g_autofree char *text = mslab_reduction_get_text(result), *again = NULL;
  char number[G_ASCII_DTOSTR_BUF_SIZE], second[G_ASCII_DTOSTR_BUF_SIZE];
  double low = 0, high = 0;
  guint64 low_at = 0, high_at = 0;
  gboolean pair = mslab_reduction_get_range(result, &low, &high);

  g_ascii_dtostr(number, sizeof number, mslab_reduction_get_number(result));
  g_ascii_dtostr(second, sizeof second, high);
  if (mslab_reduction_get_positions(result, &low_at, &high_at))
    again = g_strdup_printf("%s at %" G_GUINT64_FORMAT ", %s at %" G_GUINT64_FORMAT, number, low_at, second, high_at);
  else
    again = pair ? g_strdup_printf("%s %s", number, second) : g_strdup(number);
  if (pair)
    g_assert_cmpfloat(low, ==, mslab_reduction_get_number(result));
  g_test_message("%s: %s", operation, text);
  g_assert_cmpstr(again, ==, text);
  g_assert_true(!mslab_reduction_is_integer(result) || !strpbrk(text, ".en"));
}

/* Every operation, so that one that is added with two words in its partial is not returned as a pair by mistake. */
static void
test_reduce_shapes(gconstpointer selector)
{
  static const gint32 numbers[] = {3, -7, 120, 120, 12};
  g_autoptr(GBytes) elements = g_bytes_new_static(numbers, sizeof numbers);
  g_autoptr(MslabEngine) engine = api_fixture_open(selector);
  g_auto(GStrv) operations = list_operations(engine);
  g_autoptr(MslabReduction) mean = reduce(engine, "mean", elements);
  g_autoptr(MslabReduction) count = reduce(engine, "count-nonzero", elements);

  g_assert_cmpuint(g_strv_length(operations), >=, 11);
  for (guint i = 0; operations[i]; i++) {
    g_autoptr(MslabReduction) result = reduce(engine, operations[i], elements);
    assert_is_text(result, operations[i]);
  }
  g_assert_false(mslab_reduction_is_integer(mean));
  g_assert_true(mslab_reduction_is_integer(count));
}

static void
test_reduce_refusals(void)
{
  g_autoptr(GBytes) elements = g_bytes_new_static(pixels, 6);
  g_autoptr(MslabEngine) engine = api_fixture_open("reference");
  static const char *const rows[][2] = {{"sum", "int"}, {"product", "uchar"}, {"sum", "complex"}};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(mslab_engine_reduce(engine, rows[i][0], rows[i][1], elements, NULL, &error));
    g_assert_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE);
  }
}

static void
count_outcome(const char *input, const char *output, MslabOutcome outcome, const char *message, gpointer data)
{
  g_test_message("%s: %d %s", input, outcome, message ? message : "");
  g_assert_true((outcome == MSLAB_OUTCOME_DONE) == (message == NULL));
  ((int *)data)[outcome]++;
}

static void
test_batch(void)
{
  g_autofree char *folder = g_dir_make_tmp("ms-api-XXXXXX", NULL);
  g_autofree char *good = g_build_filename(folder, "good.png", NULL);
  g_autofree char *bad = g_build_filename(folder, "bad.png", NULL);
  g_autofree char *output = g_build_filename(folder, "results", NULL);
  g_autofree char *saved = g_build_filename(output, "good-sp10.png", NULL);
  const char *const inputs[] = {good, bad, NULL};
  g_autoptr(MslabImage) image = make_image();
  g_autoptr(MslabEngine) engine = api_fixture_open("cpu");
  g_autoptr(MslabBatch) batch = mslab_batch_new(inputs, output);
  g_autoptr(GError) error = NULL;
  int outcomes[3] = {0};

  g_assert_true(mslab_image_save(image, good, NULL, NULL));
  g_assert_true(g_file_set_contents(bad, "no image", -1, NULL));
  g_assert_cmpint(g_mkdir(output, 0700), ==, 0);
  mslab_batch_set_name_template(batch, "{stem}-sp{sp}.{ext}");
  for (int i = 0; i < 2; i++) {
    mslab_batch_set_conflict(batch, i == 0 ? MSLAB_CONFLICT_FAIL : MSLAB_CONFLICT_SKIP);
    g_assert_true(mslab_batch_run(batch, engine, NULL, count_outcome, outcomes, NULL, &error));
    g_assert_no_error(error);
  }
  g_assert_cmpint(outcomes[MSLAB_OUTCOME_DONE], ==, 1);
  g_assert_cmpint(outcomes[MSLAB_OUTCOME_SKIPPED], ==, 1);
  g_assert_cmpint(outcomes[MSLAB_OUTCOME_FAILED], ==, 2);
  g_autoptr(MslabImage) result = mslab_image_load(saved, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MslabImage) expected = filter(engine, image, NULL);
  api_fixture_assert_equal(result, expected);
  g_remove(saved);
  g_remove(output);
  g_remove(good);
  g_remove(bad);
  g_remove(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  fill_pixels();
  g_test_add_func("/api/image", test_image);
  g_test_add_func("/api/image/gif", test_image_gif);
  g_test_add_func("/api/image/refusals", test_image_refusals);
  g_test_add_func("/api/settings", test_settings);
  g_test_add_func("/api/devices", test_devices);
  g_test_add_func("/api/filter", test_filter);
  g_test_add_func("/api/filter/refused-settings", test_refused_settings);
  g_test_add_data_func("/api/filter/band/device", "cpu", test_band);
  g_test_add_data_func("/api/filter/band/reference", "reference", test_band);
  g_test_add_func("/api/filter/async", test_async);
  g_test_add_func("/api/filter/threads", test_threads);
  g_test_add_data_func("/api/statistics/device", "cpu", test_statistics);
  g_test_add_data_func("/api/statistics/reference", "reference", test_statistics);
  g_test_add_data_func("/api/reduce/device", "cpu", test_reduce);
  g_test_add_data_func("/api/reduce/reference", "reference", test_reduce);
  g_test_add_data_func("/api/reduce/shapes/device", "cpu", test_reduce_shapes);
  g_test_add_data_func("/api/reduce/shapes/reference", "reference", test_reduce_shapes);
  g_test_add_func("/api/reduce/refusals", test_reduce_refusals);
  g_test_add_func("/api/batch", test_batch);
  return g_test_run();
}
