/* SPDX-License-Identifier: MIT */
/*
 * Regions found by kernels against the serial code, label by label. Under Oclgrind one small picture without the
 * detection of races: the reads of parents race with atomic operations on purpose; see kernels/regions/connect.cl. CI
 * adds more pictures of blotches, the most regions that there can be, and offers at once, a race that shows only in
 * some of hundreds of runs.
 */
#include <string.h>

#include "core/regions/regions.h"
#include "core/regions/segment-table.h"
#include "tests/support/fixture.h"

typedef struct {
  MsImage *filtered;
  guint16 *modes;
} Input;

static void
input_clear(Input *self)
{
  g_clear_object(&self->filtered);
  g_clear_pointer(&self->modes, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Input, input_clear)

/* Random colours of a few levels and random modes, so that sets of all sizes and forms occur. */
static Input
make_noise(int width, int height, int n_levels, int spread)
{
  const gsize n = (gsize)width * height;
  g_autoptr(GRand) random = g_rand_new_with_seed((guint32)(width * 31 + height));
  guint8 *pixels = g_malloc0(n * 4);
  guint16 *modes = g_new(guint16, 2 * n);

  for (gsize i = 0; i < n; i++) {
    memset(pixels + 4 * i, 11 * g_rand_int_range(random, 0, n_levels), 3);
    modes[2 * i] = (guint16)g_rand_int_range(random, 0, spread);
    modes[2 * i + 1] = (guint16)g_rand_int_range(random, 0, spread);
  }
  return (Input){ms_image_new_take(width, height, pixels, NULL), modes};
}

/* A serpentine set of pixels along every second row, and a set for each row between. */
static Input
make_winding(int width, int height)
{
  Input input = make_noise(width, height, 1, 1);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(input.filtered), (gsize)width * height * 4);

  for (int y = 1; y < height; y += 2)
    for (int x = 0; x < width; x++)
      if (x != (y % 4 == 1 ? width - 1 : 0))
        memset(pixels + 4 * ((gsize)y * width + x), 200, 3);
  g_object_unref(input.filtered);
  input.filtered = ms_image_new_take(width, height, pixels, NULL);
  return input;
}

/* The serial code's regions, or with a @context those of the device that is tested. */
static MsSegmentation *
segment(MsContext *context, const Input *input, double range, guint min_pixels)
{
  const MsSettings settings = ms_settings_default();
  const MsFiltered filtered = {.image = input->filtered, .modes = input->modes, .params = &settings.params};
  g_autoptr(GError) error = NULL;
  MsSegmentation *s =
    ms_segmentation_new_on(context, &filtered, &(MsRegionOptions){min_pixels, range, NULL}, NULL, &error);

  g_assert_no_error(error);
  return s;
}

/* Labels of the device that is tested, and the rounds in which small regions merge, @times over. */
static void
compare_times(MsContext *context, const Input *input, double range, guint min_pixels, int times)
{
  g_autoptr(MsSegmentation) expected = segment(NULL, input, range, min_pixels);
  const gsize bytes = (gsize)expected->width * expected->height * sizeof *expected->labels;

  for (int i = 0; i < times; i++) {
    g_autoptr(MsSegmentation) actual = segment(context, input, range, min_pixels);

    g_assert_cmpuint(actual->n, ==, expected->n);
    g_assert_cmpuint(actual->rounds, ==, expected->rounds);
    g_assert_cmpmem(actual->labels, bytes, expected->labels, bytes);
  }
}

static void
compare(MsContext *context, const Input *input, double range, guint min_pixels)
{
  compare_times(context, input, range, min_pixels, 1);
}

static void
test_noise(void)
{
  static const int sizes[][2] = {{1, 1}, {300, 1}, {1, 300}, {64, 3}, {65, 66}, {201, 97}, {2000, 8}};
  g_autoptr(MsContext) context = ms_fixture_context();

  for (gsize i = 0; context && i < G_N_ELEMENTS(sizes); i++)
    for (int n_levels = 2; n_levels <= 8; n_levels += 3) {
      g_auto(Input) input = make_noise(sizes[i][0], sizes[i][1], n_levels, 14);
      compare(context, &input, 0.5, 0);
      compare(context, &input, 1, 0);
      compare(context, &input, 0, 5);
    }
}

static void
test_winding(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_auto(Input) input = make_winding(333, 121);

  if (context)
    compare(context, &input, 0.5, 0);
}

/* Smooth in places, so that regions have from one pixel to hundreds, each channel for itself. */
static Input
make_blotches(int width, int height, GRand *random)
{
  const gsize n = (gsize)width * height;
  const int period = g_rand_int_range(random, 1, 9), step = g_rand_int_range(random, 1, 60);
  guint8 *pixels = g_malloc0(n * 4);
  guint16 *modes = g_new0(guint16, 2 * n);

  for (gsize i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      const gsize left = i % (gsize)width > 0 ? i - 1 : i, above = i >= (gsize)width ? i - width : i;
      const int choice = g_rand_int_range(random, 0, period);
      pixels[4 * i + k] = choice == 0       ? (guint8)(step * g_rand_int_range(random, 0, 255 / step + 1))
                          : choice % 2 == 0 ? pixels[4 * left + k]
                                            : pixels[4 * above + k];
    }
  return (Input){ms_image_new_take(width, height, pixels, NULL), modes};
}

/* Small pictures with regions of all sizes and forms, before they are merged and after: 2,000 in CI. */
static void
test_blotches(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GRand) random = g_rand_new_with_seed(14);
  const int n = ms_fixture_form() >= MS_TEST_CI ? 2000 : 120;

  for (int i = 0; context && i < n; i++) {
    const int width = g_rand_int_range(random, 1, 48), height = g_rand_int_range(random, 1, 48);
    const gboolean is_thin = i % 8 == 0;
    g_auto(Input) input =
      make_blotches(is_thin && i % 16 == 0 ? 1 : width, is_thin && i % 16 != 0 ? 1 : height, random);
    const guint least = (guint)g_rand_int_range(random, 0, i % 5 == 0 ? 4000 : 40);
    compare(context, &input, g_rand_int_range(random, 0, 5) / 4.0, least);
  }
}

/* Single pixels of as many colours as there are cells in a pattern, each its own region. */
static Input
make_checkerboard(int side, int colours)
{
  Input input = make_noise(side, side, 1, 1);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(input.filtered), (gsize)side * side * 4);

  for (int i = 0; i < side * side; i++)
    memset(pixels + 4 * i, 60 * ((i % side) % 2 + colours * ((i / side) % 2)), 3);
  g_object_unref(input.filtered);
  input.filtered = ms_image_new_take(side, side, pixels, NULL);
  return input;
}

/* The most regions that a picture can have, 2^20 in CI; and the most pairs of them that touch. */
static void
test_checkerboard(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_auto(Input) input = make_checkerboard(ms_fixture_form() >= MS_TEST_CI ? 1024 : 128, 2);
  const guint32 pixels = (guint32)(ms_image_get_byte_size(input.filtered) / 4);
  g_autoptr(MsSegmentation) all = segment(NULL, &input, MS_REGION_RANGE_DEFAULT, 1);

  g_assert_cmpuint(all->n, ==, pixels);
  for (guint least = 0; context && least <= 50; least = 3 * least + 1)
    compare(context, &input, MS_REGION_RANGE_DEFAULT, least);
  if (context)
    compare(context, &input, MS_REGION_RANGE_DEFAULT, pixels + 1);
}

/* One colour is one region, however small it is. */
static void
test_one_colour(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_auto(Input) input = make_noise(131, 67, 1, 1);

  if (!context)
    return;
  compare(context, &input, MS_REGION_RANGE_DEFAULT, 0);
  compare(context, &input, MS_REGION_RANGE_DEFAULT, 131 * 67 + 1);
}

/* Each column is a region that all work-items add to: where one overwrites the sum of another, it is too small. */
static void
test_columns(void)
{
  const int width = 64, height = 4000;
  g_autoptr(MsContext) context = ms_fixture_context();
  g_auto(Input) input = make_noise(width, height, 1, 1);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(input.filtered), (gsize)width * height * 4);

  for (int i = 0; i < width * height; i++)
    memset(pixels + 4 * (gsize)i, 60 * (i % width % 3), 3);
  g_object_unref(input.filtered);
  input.filtered = ms_image_new_take(width, height, pixels, NULL);
  if (context)
    compare_times(context, &input, MS_REGION_RANGE_DEFAULT, (guint)height, 4);
}

/*
 * A black column beside a column of pairs of pixels, each pair of a random bright colour. By their modes, the two
 * pixels of a pair are different regions, and so are the first pixel of the black column and the rest of it. The first
 * round joins each pair, and joins the black column with its first pixel, which only the first work-item knows. In the
 * second round all work-items offer pairs to this region at once: where one of them overwrites the offer of another,
 * the region may choose a pair that is not the nearest.
 */
static Input
make_column_and_pairs(int height, GRand *random)
{
  guint8 *pixels = g_malloc0((gsize)height * 12);
  guint16 *modes = g_new0(guint16, 6 * (gsize)height);

  modes[0] = 3000;
  for (gsize y = 0; y < (gsize)height; y++) {
    for (int k = 0; k < 3; k++)
      pixels[12 * y + 4 + k] = pixels[12 * y + 8 + k] = (guint8)g_rand_int_range(random, 120, 256);
    modes[6 * y + 2] = 1000;
    modes[6 * y + 4] = 2000;
  }
  return (Input){ms_image_new_take(3, height, pixels, NULL), modes};
}

static void
test_offers_at_once(void)
{
  const int height = 6000;
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GRand) random = g_rand_new_with_seed(27);

  for (int i = 0; context && i < 20; i++) {
    g_auto(Input) input = make_column_and_pairs(height, random);
    compare_times(context, &input, MS_REGION_RANGE_DEFAULT, (guint)height + 1, 20);
  }
}

/* With a least number of 0 or 1 nothing merges. */
static void
test_nothing_merges(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_auto(Input) input = make_noise(60, 50, 5, 9);
  g_autoptr(MsSegmentation) none = segment(context, &input, MS_REGION_RANGE_DEFAULT, 0);
  g_autoptr(MsSegmentation) one = segment(context, &input, MS_REGION_RANGE_DEFAULT, 1);
  g_autoptr(MsSegmentation) two = segment(context, &input, MS_REGION_RANGE_DEFAULT, 2);

  g_assert_cmpuint(none->n, ==, one->n);
  g_assert_cmpuint(none->rounds + one->rounds, ==, 0);
  g_assert_cmpuint(two->n, <, one->n);
  g_assert_cmpuint(two->rounds, >, 0);
}

/*
 * Bands whose borders step up or down at each pixel, so that each two are found to touch 1999 times: without space for
 * all pairs, a second round would find most bands alone.
 */
static void
test_many_pairs(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  const int width = 1000, height = 90;
  g_auto(Input) input = make_noise(width, height, 1, 1);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(input.filtered), (gsize)width * height * 4);

  for (int i = 0; i < width * height; i++)
    memset(pixels + 4 * (gsize)i, 97 * ((i / width + i % 2) / 4) % 251, 3);
  g_object_unref(input.filtered);
  input.filtered = ms_image_new_take(width, height, pixels, NULL);
  for (guint least = 5; context && least < 90000; least *= 6)
    compare(context, &input, MS_REGION_RANGE_DEFAULT, least);
}

static void
test_cancelled(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_auto(Input) input = make_noise(30, 20, 5, 9);
  const MsSettings settings = ms_settings_default();
  const MsFiltered filtered = {.image = input.filtered, .modes = input.modes, .params = &settings.params};
  const MsRegionOptions options = {.min_pixels = 9, .range = MS_REGION_RANGE_DEFAULT};

  g_cancellable_cancel(cancellable);
  for (int i = 0; i < (context ? 2 : 1); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(ms_segmentation_new_on(i == 0 ? NULL : context, &filtered, &options, cancellable, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  }
}

/* The filter leaves its result on the device, where regions are found in it. */
static void
check_stayed(MsSpace space)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  MsSettings settings = ms_settings_default();
  g_autoptr(MsImage) source = ms_fixture_scene(120, 70, 3);
  g_autofree guint16 *modes = g_new(guint16, 2 * 120 * 70);
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  settings.params.space = space;
  settings.params.sp = 4;
  settings.params.sr = 30;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  MsJob job = {.source = source, .settings = &settings, .wants_modes = TRUE, .may_stay = TRUE};
  g_autoptr(MsImage) placeholder = ms_mean_shift_run(filter, &job, &error);
  g_assert_no_error(error);
  g_assert_true(placeholder == source);
  g_assert_true(job.stayed.colours && job.stayed.modes);
  g_assert_true((job.stayed.source != NULL) == (space == MS_SPACE_RGB));
  const MsRegionOptions options = {.min_pixels = 9, .range = MS_REGION_RANGE_DEFAULT};
  g_autoptr(MsSegmentation) actual =
    ms_segmentation_new_on(context, &(MsFiltered){.image = source, .params = &settings.params, .on_device = job.stayed},
                           &options, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MsSegmentTable) table = ms_segment_table_new_on(&(MsDeviceRun){context}, actual, source, &error);
  g_assert_no_error(error);
  ms_job_clear(&job);
  job.may_stay = FALSE;
  job.modes_into = modes;
  g_autoptr(MsImage) filtered = ms_fixture_filter(filter, job, &error);
  g_assert_no_error(error);
  g_autoptr(MsSegmentation) expected =
    ms_segmentation_new(&(MsFiltered){.image = filtered, .modes = modes, .params = &settings.params}, 9, NULL, &error);
  g_assert_cmpuint(actual->n, ==, expected->n);
  g_assert_cmpmem(actual->labels, 120 * 70 * 4, expected->labels, 120 * 70 * 4);
  g_autoptr(MsSegmentTable) of_host = ms_segment_table_new_on(NULL, expected, source, &error);
  g_autofree char *text = ms_segment_table_to_csv(table), *expected_text = ms_segment_table_to_csv(of_host);
  g_assert_cmpstr(text, ==, expected_text);
}

/* The picture stays as well, unless its conversion to another space has replaced it. */
static void
test_stayed(void)
{
  check_stayed(MS_SPACE_RGB);
  check_stayed(MS_SPACE_LUV);
}

/* The labels of the kernels for a device with @limits, which the tested device runs. */
static void
compare_limits(MsContext *context, const Input *input, const MsDeviceLimits *limits, guint min_pixels)
{
  const int width = ms_image_get_width(input->filtered), height = ms_image_get_height(input->filtered);
  const MsLabelRule rule = {1, 200};
  const gsize n = (gsize)width * height;
  g_autofree guint32 *of_pixel = g_new(guint32, 2 * n);
  MsLabels expected = {.of_pixel = of_pixel}, actual = {.of_pixel = of_pixel + n};
  const MsLabelRequest request = {
    .closeness = {ms_image_get_pixels(input->filtered), input->modes, width, height, rule},
    .min_pixels = min_pixels,
    .limits = limits};
  g_autoptr(GError) error = NULL;

  g_assert_true(ms_reference_regions_find(&request, &expected, &error));
  cl_mem on_device = ms_device_regions_find(context, &request, &actual, &error);
  g_assert_no_error(error);
  clReleaseMemObject(on_device);
  g_assert_cmpuint(actual.count, ==, expected.count);
  g_assert_cmpuint(actual.rounds, ==, expected.rounds);
  g_assert_cmpmem(actual.of_pixel, n * sizeof(guint32), expected.of_pixel, n * sizeof(guint32));
}

/* The kernels for processors and for other devices, each with and without atomic operations on 64 bits. */
static void
compare_all_limits(MsContext *context, const Input *input, guint min_pixels)
{
  MsDeviceLimits limits = context->device->limits;
  const gboolean has_int64_atomics = limits.int64_atomics;

  for (int i = 0; i < 4; i++) {
    limits.type = i % 2 == 0 ? MS_DEVICE_TYPE_CPU : MS_DEVICE_TYPE_GPU;
    limits.int64_atomics = i / 2 == 0 && has_int64_atomics;
    compare_limits(context, input, &limits, min_pixels);
  }
}

static void
test_limits(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GRand) random = g_rand_new_with_seed(15);

  for (int i = 0; context && i < 30; i++) {
    g_auto(Input) input = make_blotches(g_rand_int_range(random, 1, 70), g_rand_int_range(random, 1, 70), random);
    compare_all_limits(context, &input, (guint)g_rand_int_range(random, 0, i % 5 == 0 ? 4000 : 40));
  }
}

/*
 * Sums of a region that exceed 32 bits: a region of two pixels lies nearer to the large one than to the other, which a
 * sum that has lost its upper bits does not show. Seventeen megapixels, so that CI alone takes them.
 */
static void
test_large(void)
{
  const int width = 4200, height = 4100;
  const guint8 colours[][4] = {{255, 250, 245, 255}, {225, 220, 215, 255}, {150, 145, 140, 255}};
  g_autoptr(MsContext) context = ms_fixture_context();

  if (!context)
    return;
  guint8 *pixels = g_malloc((gsize)width * height * 4);
  for (gsize i = 0; i < (gsize)width * height; i++)
    memcpy(pixels + 4 * i, colours[i >= 2 ? 0 : 1], 4);
  for (gsize i = 2; i < 60; i++)
    memcpy(pixels + 4 * i, colours[2], 4);
  g_auto(Input) input = {ms_image_new_take(width, height, pixels, NULL), g_new0(guint16, 2 * (gsize)width * height)};
  compare_limits(context, &input, NULL, 50);
}

/* Every kernel of labels, for its accesses to memory. */
static void
test_simulated(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GRand) random = g_rand_new_with_seed(16);
  g_auto(Input) input = make_blotches(23, 9, random);

  if (context)
    compare_all_limits(context, &input, 9);
}

/* The serial code joins more neighbours with the whole colour radius, and only equal ones with none. */
static void
test_range(void)
{
  g_auto(Input) input = make_noise(40, 40, 4, 1);
  guint32 counts[3];

  for (int i = 0; i < 3; i++) {
    g_autoptr(MsSegmentation) s = segment(NULL, &input, i / 2.0, 0);
    counts[i] = s->n;
  }
  /* Levels are 19 apart in colour: half of 20 does not reach that far. */
  g_assert_cmpuint(counts[0], ==, counts[1]);
  g_assert_cmpuint(counts[1], >, counts[2]);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (ms_fixture_under_oclgrind()) {
    g_test_add_func("/device-regions/simulated", test_simulated);
    return g_test_run();
  }
  g_test_add_func("/device-regions/noise", test_noise);
  g_test_add_func("/device-regions/winding", test_winding);
  g_test_add_func("/device-regions/range", test_range);
  g_test_add_func("/device-regions/blotches", test_blotches);
  g_test_add_func("/device-regions/limits", test_limits);
  if (ms_fixture_form() >= MS_TEST_CI)
    g_test_add_func("/device-regions/large", test_large);
  g_test_add_func("/device-regions/checkerboard", test_checkerboard);
  g_test_add_func("/device-regions/one-colour", test_one_colour);
  g_test_add_func("/device-regions/columns", test_columns);
  if (ms_fixture_form() >= MS_TEST_CI)
    g_test_add_func("/device-regions/offers-at-once", test_offers_at_once);
  g_test_add_func("/device-regions/nothing-merges", test_nothing_merges);
  g_test_add_func("/device-regions/many-pairs", test_many_pairs);
  g_test_add_func("/device-regions/cancelled", test_cancelled);
  g_test_add_func("/device-regions/stayed", test_stayed);
  return g_test_run();
}
