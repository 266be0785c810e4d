/* SPDX-License-Identifier: MIT */
/*
 * The rows kernels: every part against the reference, extremes of the sums they pack, and what their plan refuses. A
 * program takes seconds to compile, so the suite runs each part once or twice, mostly with one of the two kernels, and
 * its tests share programs; CI runs both kernels in every table, and the long form all colour radii.
 */
#include <math.h>
#include <string.h>

#include "core/filter/mean-shift.h"
#include "core/filter/plan/plan.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"

static const MsKernel rows_kernels[] = {MS_KERNEL_ROWS, MS_KERNEL_ROWS_WIDE};

static void
compare_kernel(MsOptionProduct *product, MsImage *source, MsImage *expected, const MsParams *params, MsKernel kernel)
{
  MsSettings settings = ms_settings_default();

  settings.params = *params;
  settings.options.kernel = kernel;
  ms_option_product_compare(product, source, expected, &settings, NULL);
}

/*
 * Whether a case runs with @kernel, by a letter of its table. r: the suite runs the kernel rows, CI both; w: the suite
 * runs rows-wide, CI both, and so does Oclgrind, which has no rows-wide; b: the suite runs both; c: CI runs both; a
 * dot: the long form runs both.
 */
static gboolean
runs_with(char letter, MsKernel kernel)
{
  switch (letter) {
  case 'r':
    return kernel == MS_KERNEL_ROWS || ms_fixture_form() >= MS_TEST_CI;
  case 'w':
    return kernel == MS_KERNEL_ROWS_WIDE || ms_fixture_form() >= MS_TEST_CI || ms_fixture_under_oclgrind();
  case 'b':
    return TRUE;
  case 'c':
    return ms_fixture_form() >= MS_TEST_CI;
  case '.':
    return ms_fixture_form() >= MS_TEST_LONG;
  }
  g_assert_not_reached();
}

static void
compare(MsOptionProduct *product, MsImage *source, const MsParams *params, char letter)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(rows_kernels); i++)
    if (runs_with(letter, rows_kernels[i])) {
      if (!expected)
        expected = ms_fixture_reference(source, params, NULL, &error);
      g_assert_no_error(error);
      compare_kernel(product, source, expected, params, rows_kernels[i]);
    }
}

static MsImage *
flat_image(int width, int height, guint8 level)
{
  gsize bytes = (gsize)width * height * 4;
  guint8 *pixels = g_malloc(bytes);

  memset(pixels, level, bytes);
  return ms_image_new_take(width, height, pixels, NULL);
}

/* A scene whose left column has one colour. */
static MsImage *
scene_with_edge(int width, int height)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(width, height, 9);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(scene), ms_image_get_byte_size(scene));

  for (int y = 0; y < height; y++)
    memset(pixels + (gsize)y * width * 4, 90, 4);
  return ms_image_new_take(width, height, pixels, NULL);
}

/*
 * Radii on both sides of every change of window part, colour radii on both sides of the change of width. In CI each
 * radius meets distances of 16 and of 32 bits, and, where the device has them, of bytes.
 */
static void
test_parts(gconstpointer data)
{
  static const double colours[] = {0, 6, 20, 60.5, 126.9, 127, 255.9, 255.999, 256, 441, 510};
  static const struct {
    double sp;
    char letters[MS_RULE_REPLICATE + 1][G_N_ELEMENTS(colours) + 1];
  } radii[] = {
    // clang-format off
    {1, {"c...c...c..", ".c...c..wc.", "..c...c...c"}},
    {2, {".w...c...c.", "..c...c...c", "...c...c..."}},
    {3, {"..cr.wc...c", "...c...c...", "c...c...c.."}},
    {4, {"...c...c...", "c...c...c..", ".c...c...c."}},
    {7, {"c...r...c..", ".c...c...c.", "..c...c...c"}},
    {8, {".cc..c...c.", "..c...c...c", "...c...c..."}},
    {10, {"..c...c...c", "...c...c...", "c...w...c.."}},
    {15, {"...c...c...", "c..rc...c..", ".c...c...c."}},
    {16, {"c...c...c..", ".c...c...c.", "..c...c...c"}},
    {22, {".c...c...c.", "..c...c...c", "..cc...c..."}},
    {23, {"..c...c..rc", "...c...c...", "c...c...c.."}},
    {31, {"...c...c..w", "c...c...c..", ".c...c...c."}},
    {40, {"c...c...c..", ".c...c...c.", "..c...c...c"}},
    {64, {".c...c...c.", "..c...c...c", "...c...c..."}},
    // clang-format on
  };
  const MsRule rule = GPOINTER_TO_INT(data);
  const int scale = ms_fixture_under_oclgrind() ? 1 : 4;
  g_autoptr(MsImage) scene = ms_fixture_scene(19 * scale, 7 * scale, 3);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(radii); i++)
    for (gsize j = 0; j < G_N_ELEMENTS(colours); j++) {
      /* Only the opencv rule knows fractions. */
      const double sr = rule == MS_RULE_OPENCV ? colours[j] : floor(colours[j]);
      const MsParams params = {radii[i].sp, sr, ms_fixture_under_oclgrind() ? 2 : 5, 1, rule};
      compare(&product, scene, &params, radii[i].letters[rule][j]);
    }
  ms_option_product_close(&product);
}

static void
test_sizes(gconstpointer data)
{
  static const struct {
    gboolean simulated; /* also under Oclgrind */
    int width, height;
  } sizes[] = {{TRUE, 1, 1},   {FALSE, 1, 40}, {FALSE, 70, 1}, {FALSE, 15, 2}, {TRUE, 16, 16}, {FALSE, 31, 5},
               {FALSE, 32, 4}, {FALSE, 33, 9}, {TRUE, 63, 3},  {FALSE, 64, 8}, {FALSE, 65, 5}, {FALSE, 129, 7}};
  static const struct {
    double sp;
    char letters[MS_RULE_REPLICATE + 2]; /* by rule */
  } radii[] = {{1, "wcc"}, {5, "rcc"}, {9, "bcw"}, {40, "crc"}};
  const MsRule rule = GPOINTER_TO_INT(data);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autoptr(MsImage) noise = ms_fixture_noise(sizes[i].width, sizes[i].height, (guint32)i);
    for (gsize j = 0; j < G_N_ELEMENTS(radii); j++) {
      const MsParams params = {radii[j].sp, 120, 5, 1, rule};
      if (sizes[i].simulated || !ms_fixture_under_oclgrind())
        compare(&product, noise, &params, radii[j].letters[rule]);
    }
  }
  ms_option_product_close(&product);
}

/*
 * All samples taken, all of them white: the largest sums that 16 bits and the packed fields must hold. An image of one
 * colour is its own result.
 */
static void
test_full_windows(gconstpointer data)
{
  static const double colours[] = {10, 510};
  /* The suite runs the largest windows of each part. */
  static const struct {
    int sp;
    char letters[MS_RULE_REPLICATE + 1][G_N_ELEMENTS(colours) + 1];
  } radii[] = {
    {3, {"rc", "cc", "cc"}},  {7, {"cc", "cc", "cc"}},  {15, {"wc", "cc", "cc"}}, {16, {"cc", "cc", "cc"}},
    {22, {"cc", "cc", "cc"}}, {44, {"cc", "cc", "cc"}}, {63, {"cc", "cc", "cc"}}, {64, {"bw", "rc", "rc"}},
  };
  const MsRule rule = GPOINTER_TO_INT(data);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Windows of ten thousand samples take too long in a simulator; /rows/parts covers its accesses.");
    return;
  }
  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(radii); i++) {
    g_autoptr(MsImage) white = flat_image(2 * radii[i].sp + 22, 2 * radii[i].sp + 12, 255);
    for (gsize j = 0; j < G_N_ELEMENTS(colours); j++)
      for (gsize k = 0; k < G_N_ELEMENTS(rows_kernels); k++) {
        const MsParams params = {radii[i].sp, colours[j], 3, 0, rule};
        if (runs_with(radii[i].letters[rule][j], rows_kernels[k]))
          compare_kernel(&product, white, white, &params, rows_kernels[k]);
      }
  }
  ms_option_product_close(&product);
}

/* Without clipping, pixels at a flat edge wander out of the image, farther with every step. */
static void
test_wandering(void)
{
  g_autoptr(MsImage) scene = scene_with_edge(40, 12);
  MsParams params = {9, 40, ms_fixture_under_oclgrind() ? 4 : 100, 0, MS_RULE_REPLICATE};
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  compare(&product, scene, &params, 'r');
  ms_option_product_close(&product);
}

static MsRegion
random_region(int width, int height)
{
  MsRegion region = {g_test_rand_int_range(0, width), g_test_rand_int_range(0, height), 1, 1};

  region.width = g_test_rand_int_range(1, width - region.x + 1);
  region.height = g_test_rand_int_range(1, height - region.y + 1);
  return region;
}

/*
 * Any size, region, parameters and number of stripes; --seed repeats a run. The suite stays with colour radii and a
 * rule whose programs the tests above have compiled.
 */
static void
test_random(void)
{
  const gboolean more = ms_fixture_form() >= MS_TEST_CI;
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (int i = 0; i < (more ? 60 : 4); i++) {
    int width = g_test_rand_int_range(1, ms_fixture_under_oclgrind() ? 20 : 160);
    int height = g_test_rand_int_range(1, ms_fixture_under_oclgrind() ? 8 : 60);
    guint32 seed = (guint32)g_test_rand_int();
    g_autoptr(MsImage) image = i % 2 ? ms_fixture_noise(width, height, seed) : ms_fixture_scene(width, height, seed);
    MsRegion region = random_region(width, height);
    MsSettings settings = ms_settings_default();
    g_autoptr(GError) error = NULL;

    settings.params =
      (MsParams){g_test_rand_int_range(1, 25), g_test_rand_int_range(0, more ? 300 : 127), g_test_rand_int_range(1, 9),
                 g_test_rand_int_range(0, 4), more ? i % 3 : MS_RULE_OPENCV};
    g_autoptr(MsImage) expected = ms_fixture_reference(image, &settings.params, &region, &error);
    g_assert_no_error(error);
    /* Enough for one row with its surroundings, or less than the whole. */
    ms_mean_shift_set_memory_budget(product.filter, i % 4 ? 0 : 64 * 1024 + (guint64)width * height * 20);
    settings.options.kernel = rows_kernels[i / 2 % 2];
    ms_option_product_compare(&product, image, expected, &settings, &region);
  }
  ms_option_product_close(&product);
}

static MsPlanCase
request_for(MsKernel kernel)
{
  MsDeviceLimits limits = ms_fixture_limits(MS_DEVICE_TYPE_CPU);
  MsSettings settings = ms_settings_default();

  settings.options.kernel = kernel;
  limits.clang_vectors = TRUE;
  return ms_plan_case(&settings, &limits, 640, 480);
}

static void
test_refusals(void)
{
  MsPlanCase r = request_for(MS_KERNEL_ROWS);

  g_assert_null(ms_plan_case_refusal(&r));
  r.settings.options.unroll = 4;
  ms_fixture_assert_refused(&r, "--unroll 4");
  r = request_for(MS_KERNEL_ROWS);
  r.settings.params.sp = 64;
  r.job.size.width = 200000;
  ms_fixture_assert_refused(&r, "32 bits");
  r = request_for(MS_KERNEL_ROWS);
  r.limits.fp64 = FALSE;
  r.limits.vector_bytes = 4;
  ms_fixture_assert_refused(&r, "number by number");
  r = request_for(MS_KERNEL_ROWS_WIDE);
  r.limits.clang_vectors = FALSE;
  ms_fixture_assert_refused(&r, "--kernel rows");
}

static gboolean
has_part(const MsPlanCase *request, const char *part)
{
  g_autoptr(MsPlan) plan = ms_plan_case_new(request, NULL);

  g_assert_nonnull(plan);
  for (guint i = 0; i < ms_program_spec_get_n_parts(plan->program); i++)
    if (g_str_equal(ms_program_spec_get_part(plan->program, i), part))
      return TRUE;
  return FALSE;
}

static gboolean
remembers_windows(double sp, MsRule rule)
{
  MsPlanCase r = request_for(MS_KERNEL_ROWS);

  r.settings.params.sp = sp;
  r.settings.params.rule = rule;
  return has_part(&r, "rows/memo-on.cl");
}

static gboolean
has_bytes(MsKernel kernel, gboolean byte_products, double sr)
{
  MsPlanCase r = request_for(kernel);

  r.limits.byte_products = byte_products;
  r.settings.params.sr = sr;
  g_assert_true(has_part(&r, "rows/colour-words.cl") != has_part(&r, "rows/colour-bytes.cl"));
  return has_part(&r, "rows/colour-bytes.cl");
}

/* Pixels as bytes need instructions of the device, wide vectors and a colour radius below saturated differences. */
static void
test_bytes(void)
{
  g_assert_true(has_bytes(MS_KERNEL_ROWS_WIDE, TRUE, 126));
  g_assert_false(has_bytes(MS_KERNEL_ROWS_WIDE, TRUE, 127));
  g_assert_false(has_bytes(MS_KERNEL_ROWS_WIDE, FALSE, 20));
  g_assert_false(has_bytes(MS_KERNEL_ROWS, TRUE, 20));
}

static void
test_remembered_windows(void)
{
  g_assert_false(remembers_windows(7, MS_RULE_OPENCV));
  g_assert_true(remembers_windows(8, MS_RULE_OPENCV));
  g_assert_true(remembers_windows(64, MS_RULE_TRUNCATE));
  g_assert_false(remembers_windows(64, MS_RULE_REPLICATE));
}

/* An even number of cache lines a row would put the rows of a window into a few sets of the cache. */
static void
test_pitch(void)
{
  for (int i = 0; i < 200; i++) {
    MsPlanCase r = request_for(MS_KERNEL_ROWS);
    g_autoptr(MsPlan) plan = NULL;

    r.settings.params.sp = 1 + i % 64;
    r.settings.params.rule = MS_RULE_REPLICATE; /* which needs no copy column by column in the same buffer */
    r.job.size.width = 300 + i;
    plan = ms_plan_case_new(&r, NULL);
    g_assert_nonnull(plan);
    g_assert_cmpuint(plan->scratch[0].row_bytes % (3 * 64), ==, 0);
    g_assert_cmpuint(plan->scratch[0].row_bytes / (3 * 64) % 2, ==, 1);
  }
}

static int
auto_kernel(const MsPlanCase *request, gboolean rejected)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_case_new(request, &error);

  g_assert_no_error(error);
  g_assert_cmpint(plan->rejected != NULL, ==, rejected);
  return plan->settings.options.kernel;
}

static void
test_auto(void)
{
  MsPlanCase r = request_for(MS_KERNEL_AUTO);

  g_assert_cmpint(auto_kernel(&r, FALSE), ==, MS_KERNEL_ROWS_WIDE);
  r.limits.vector_bytes = 32;
  g_assert_cmpint(auto_kernel(&r, FALSE), ==, MS_KERNEL_ROWS);
  r.limits.vector_bytes = 64;
  r.limits.clang_vectors = FALSE;
  g_assert_cmpint(auto_kernel(&r, TRUE), ==, MS_KERNEL_ROWS);
  r.settings.options.local_memory = 1;
  g_assert_cmpint(auto_kernel(&r, TRUE), ==, MS_KERNEL_DIRECT);
  r = request_for(MS_KERNEL_AUTO);
  r.limits.vector_bytes = 4;
  g_assert_cmpint(auto_kernel(&r, FALSE), ==, MS_KERNEL_ROWS);
  r.limits.fp64 = FALSE;
  g_assert_cmpint(auto_kernel(&r, FALSE), ==, MS_KERNEL_PACKED);
  r.settings.params.rule = MS_RULE_REPLICATE;
  g_assert_cmpint(auto_kernel(&r, TRUE), ==, MS_KERNEL_DIRECT);
  r.limits.vector_bytes = 32;
  g_assert_cmpint(auto_kernel(&r, FALSE), ==, MS_KERNEL_ROWS);
}

static void
add_for_rules(const char *name, GTestDataFunc test)
{
  static const char *const rules[] = {"opencv", "truncate", "replicate"};

  for (int rule = MS_RULE_OPENCV; rule <= MS_RULE_REPLICATE; rule++) {
    g_autofree char *path = g_strdup_printf("/rows/%s/%s", name, rules[rule]);
    g_test_add_data_func(path, GINT_TO_POINTER(rule), test);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add_for_rules("parts", test_parts);
  add_for_rules("sizes", test_sizes);
  add_for_rules("full-windows", test_full_windows);
  g_test_add_func("/rows/random", test_random);
  g_test_add_func("/rows/wandering", test_wandering);
  g_test_add_func("/rows/refusals", test_refusals);
  g_test_add_func("/rows/remembered-windows", test_remembered_windows);
  g_test_add_func("/rows/bytes", test_bytes);
  g_test_add_func("/rows/pitch", test_pitch);
  g_test_add_func("/rows/auto", test_auto);
  return g_test_run();
}
