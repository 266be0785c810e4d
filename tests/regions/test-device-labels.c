/* SPDX-License-Identifier: MIT */
/*
 * Labels found by kernels, and by several threads of the host, against the serial code, label by label. Under Oclgrind
 * one small picture without the detection of races: the reads of parents race with atomic operations on purpose; see
 * kernels/regions/label.cl.
 */
#include <string.h>

#include "core/regions/device-labels.h"
#include "core/regions/linked-labels.h"
#include "core/regions/row-threads.h"
#include "core/regions/segmentation.h"
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
  const MsFiltered filtered = {input->filtered, input->modes, &settings.params};
  g_autoptr(GError) error = NULL;
  MsSegmentation *s =
    ms_segmentation_new_on(context, &filtered, &(MsRegionOptions){min_pixels, range, NULL}, NULL, &error);

  g_assert_no_error(error);
  return s;
}

static MsCloseness
closeness_of(const Input *input, double range)
{
  const MsSettings settings = ms_settings_default();

  return ms_segmentation_closeness(&(MsFiltered){input->filtered, input->modes, &settings.params}, range);
}

static void
check_kernels(MsContext *context, const MsLabelRequest *request, const MsSegmentation *expected)
{
  const gsize bytes = (gsize)expected->width * expected->height * sizeof *expected->labels;
  g_autofree guint32 *memory = g_malloc(bytes);
  MsLabels labels = {.of_pixel = memory};
  g_autoptr(GError) error = NULL;

  ms_device_labels_find(context, request, &labels, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(labels.count, ==, expected->n);
  g_assert_cmpmem(memory, bytes, expected->labels, bytes);
}

/* The result does not depend on the number of threads. */
static void
check_threads(const MsLabelRequest *request, const MsSegmentation *expected)
{
  const gsize bytes = (gsize)expected->width * expected->height * sizeof *expected->labels;
  g_autofree guint32 *memory = g_malloc(bytes);

  for (int n_parts = 1; n_parts <= MIN(MS_ROW_THREADS_MAX, expected->height); n_parts += 1 + n_parts / 3) {
    MsLabels labels = {.of_pixel = memory};
    g_autoptr(GError) error = NULL;
    ms_linked_labels_find(request, n_parts, &labels, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(labels.count, ==, expected->n);
    g_assert_cmpmem(memory, bytes, expected->labels, bytes);
  }
}

/* The sets before merging. */
static void
check_sets(MsContext *context, const Input *input, double range)
{
  const MsLabelRequest request = {.closeness = closeness_of(input, range)};
  g_autoptr(MsSegmentation) sets = segment(NULL, input, range, 0);

  check_kernels(context, &request, sets);
  check_threads(&request, sets);
}

/* Labels of the device that is tested, merged or not. */
static void
compare(MsContext *context, const Input *input, double range, guint min_pixels)
{
  g_autoptr(MsSegmentation) expected = segment(NULL, input, range, min_pixels);
  g_autoptr(MsSegmentation) actual = segment(context, input, range, min_pixels);
  const gsize bytes = (gsize)expected->width * expected->height * sizeof *expected->labels;

  g_assert_cmpuint(actual->n, ==, expected->n);
  g_assert_cmpmem(actual->labels, bytes, expected->labels, bytes);
  check_sets(context, input, range);
}

static void
test_noise(void)
{
  static const int sizes[][2] = {{1, 1}, {300, 1}, {1, 300}, {64, 3}, {65, 66}, {201, 97}};
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

/* Regions of all sizes and forms, before they are merged and after. */
static void
test_blotches(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GRand) random = g_rand_new_with_seed(14);

  for (int i = 0; context && i < 60; i++) {
    const int width = g_rand_int_range(random, 1, 48), height = g_rand_int_range(random, 1, 48);
    g_auto(Input) input = make_blotches(width, height, random);
    compare(context, &input, MS_REGION_RANGE_DEFAULT, (guint)g_rand_int_range(random, 2, 40));
  }
}

/* Every kernel of labels, for its accesses to memory. */
static void
test_simulated(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(GRand) random = g_rand_new_with_seed(16);
  g_auto(Input) input = make_blotches(23, 9, random);

  if (context)
    check_sets(context, &input, MS_REGION_RANGE_DEFAULT);
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
  ms_fixture_compile_once();
  g_test_init(&argc, &argv, NULL);
  if (ms_fixture_under_oclgrind()) {
    g_test_add_func("/device-labels/simulated", test_simulated);
    return g_test_run();
  }
  g_test_add_func("/device-labels/noise", test_noise);
  g_test_add_func("/device-labels/winding", test_winding);
  g_test_add_func("/device-labels/range", test_range);
  g_test_add_func("/device-labels/blotches", test_blotches);
  return g_test_run();
}
