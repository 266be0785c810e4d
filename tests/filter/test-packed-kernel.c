/* SPDX-License-Identifier: MIT */
/*
 * The packed kernel against the reference: its plain form on processors and in a simulator, on NVIDIA devices the form
 * for those; and what its plan chooses and refuses. Every radius is a program of its own, so that the suite stays with
 * five of them for all tests; CI runs every row of the tables.
 */
#include <string.h>

#include "core/filter/mean-shift.h"
#include "core/filter/plan/plan-private.h"
#include "core/filter/plan/plan.h"
#include "tests/support/fixture.h"
#include "tests/support/gpu-kernel.h"

/** Case: parameters, and the form that runs them first. */
typedef struct {
  MsTestForm form;
  MsParams params;
} Case;

static void
compare_all(MsOptionProduct *product, MsImage *source, const Case *cases, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (cases[i].form <= ms_fixture_form())
      ms_gpu_kernel_compare(product, MS_KERNEL_PACKED, source, &cases[i].params, NULL);
  g_assert_cmpuint(product->refused, ==, 0);
}

/*
 * Both rules, both spacings of the records, pixels alone and merged, one iteration and many, the largest colour radius.
 */
static void
test_parts(void)
{
  static const Case cases[] = {
    {MS_TEST_CI, {1, 0, 2, 1, MS_RULE_OPENCV}},        {MS_TEST_SUITE, {2, 20, 3, 1, MS_RULE_OPENCV}},
    {MS_TEST_SUITE, {3, 60, 2, 1, MS_RULE_TRUNCATE}},  {MS_TEST_CI, {1, 254, 2, 0, MS_RULE_TRUNCATE}},
    {MS_TEST_SUITE, {3, 254, 2, 0, MS_RULE_TRUNCATE}}, {MS_TEST_CI, {5, 30, 1, 1, MS_RULE_OPENCV}},
    {MS_TEST_SUITE, {2, 30, 1, 1, MS_RULE_OPENCV}},    {MS_TEST_SUITE, {6, 40, 4, 0, MS_RULE_OPENCV}},
    {MS_TEST_SUITE, {7, 40, 3, 1, MS_RULE_TRUNCATE}},
  };
  const gboolean small = ms_fixture_under_oclgrind();
  g_autoptr(MsImage) scene = ms_fixture_scene(small ? 21 : 83, small ? 9 : 47, 5);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  compare_all(&product, scene, cases, G_N_ELEMENTS(cases));
  ms_option_product_close(&product);
}

static MsImage *
new_flat(int width, int height)
{
  guint8 *pixels = g_malloc((gsize)width * height * 4);

  for (gsize i = 0; i < (gsize)width * height; i++)
    memcpy(pixels + 4 * i, (const guint8[]){90, 91, 92, (guint8)i}, 4);
  return ms_image_new_take(width, height, pixels, NULL);
}

/* Flat pictures, where whole groups merge into few pixels, and noise, where none do. */
static void
test_merging(void)
{
  static const Case cases[] = {{MS_TEST_SUITE, {6, 20, 5, 0, MS_RULE_OPENCV}},
                               {MS_TEST_SUITE, {6, 200, 6, 0, MS_RULE_OPENCV}},
                               {MS_TEST_CI, {8, 200, 6, 0, MS_RULE_OPENCV}}};
  gboolean small = ms_fixture_under_oclgrind();
  g_autoptr(MsImage) flat = new_flat(small ? 13 : 61, small ? 11 : 43);
  g_autoptr(MsImage) noise = ms_fixture_noise(small ? 13 : 61, small ? 11 : 43, 7);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  compare_all(&product, flat, cases, G_N_ELEMENTS(cases));
  compare_all(&product, noise, cases, G_N_ELEMENTS(cases));
  ms_option_product_close(&product);
}

/* Parts of an image with odd and even first columns, widths and heights, and single pixels at all corners. */
static void
test_regions(void)
{
  static const MsRegion regions[] = {{3, 2, 5, 6},  {2, 1, 8, 5},  {0, 0, 1, 1},
                                     {10, 8, 1, 1}, {10, 0, 1, 9}, {0, 8, 11, 1}};
  static const double radii[] = {2, 3, 6};
  g_autoptr(MsImage) noise = ms_fixture_noise(11, 9, 4);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize r = 0; r < G_N_ELEMENTS(radii); r++)
    for (gsize i = 0; i < G_N_ELEMENTS(regions); i++) {
      MsParams params = {radii[r], 60, 2, 1, MS_RULE_OPENCV};
      ms_gpu_kernel_compare(&product, MS_KERNEL_PACKED, noise, &params, &regions[i]);
    }
  g_assert_cmpuint(product.refused, ==, 0);
  ms_option_product_close(&product);
}

/* Stripes and bands: means round to even by places in the whole picture, wherever a stripe begins. */
static void
test_stripes(void)
{
  static const Case cases[] = {{MS_TEST_SUITE, {3, 40, 4, 0, MS_RULE_OPENCV}},
                               {MS_TEST_SUITE, {6, 40, 4, 0, MS_RULE_OPENCV}}};
  g_autoptr(MsImage) scene = ms_fixture_scene(64, 120, 3);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Stripes change no access of the kernels; /packed-kernel/parts covers those.");
    return;
  }
  if (!ms_option_product_open(&product))
    return;
  ms_mean_shift_set_memory_budget(product.filter, 96 * 64 * 32);
  compare_all(&product, scene, cases, G_N_ELEMENTS(cases));
  ms_option_product_close(&product);
}

/* Radii up to the largest, colour radii, and pixels that wander far. */
static void
test_radii(void)
{
  static const struct {
    MsTestForm form;
    double sp;
    MsRule rule;
  } radii[] = {
    {MS_TEST_CI, 4, MS_RULE_TRUNCATE},  {MS_TEST_CI, 9, MS_RULE_OPENCV},       {MS_TEST_CI, 13, MS_RULE_TRUNCATE},
    {MS_TEST_CI, 14, MS_RULE_OPENCV},   {MS_TEST_SUITE, 16, MS_RULE_TRUNCATE}, {MS_TEST_CI, 15, MS_RULE_OPENCV},
    {MS_TEST_CI, 31, MS_RULE_TRUNCATE}, {MS_TEST_CI, 64, MS_RULE_OPENCV},
  };
  g_autoptr(MsImage) scene = ms_fixture_scene(97, 75, 6);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Large windows take too long in a simulator; /packed-kernel/parts covers the accesses.");
    return;
  }
  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(radii); i++)
    for (int sr = 0; sr <= 60; sr += 20) {
      const MsParams params = {radii[i].sp, sr, sr == 40 ? 100 : 5, 1, radii[i].rule};
      if (radii[i].form <= ms_fixture_form())
        ms_gpu_kernel_compare(&product, MS_KERNEL_PACKED, scene, &params, NULL);
    }
  g_assert_true(product.refused == 0 || product.context->device->limits.loop_iterations > 0);
  ms_option_product_close(&product);
}

static void
test_plan(void)
{
  static const guint capabilities[] = {0, 60, 61, 90};

  for (gsize i = 0; i < G_N_ELEMENTS(capabilities); i++) {
    MsPlanCase request = ms_gpu_kernel_request(MS_KERNEL_PACKED, capabilities[i]);
    gboolean fast = capabilities[i] >= MS_KERNEL_BYTES_CAPABILITY;
    g_autoptr(GError) error = NULL;
    g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);

    g_assert_no_error(error);
    g_assert_true(ms_gpu_kernel_has_part(plan, "packed/bytes-nvidia.cl") == fast);
    g_assert_true(ms_gpu_kernel_has_part(plan, "packed/bytes-portable.cl") != fast);
    g_assert_true(ms_gpu_kernel_has_part(plan, "packed/samples-bytes.cl") == fast);
    g_assert_true(ms_gpu_kernel_has_part(plan, "packed/samples-floats.cl") != fast);
    g_assert_true(ms_gpu_kernel_has_part(plan, "packed/block-row-nvidia.cl") == fast);
    g_assert_true(ms_gpu_kernel_has_part(plan, "packed/block-row-portable.cl") != fast);
    request.settings.options.kernel = MS_KERNEL_AUTO;
    g_autoptr(MsPlan) chosen = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint(chosen->settings.options.kernel, ==, fast ? MS_KERNEL_PACKED : MS_KERNEL_DIRECT);
  }
}

static void
test_plan_by_radius(void)
{
  MsPlanCase request = ms_gpu_kernel_request(MS_KERNEL_PACKED, 90);
  g_autoptr(GError) error = NULL;

  request.settings.params.sp = 5;
  g_autoptr(MsPlan) small = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_true(ms_gpu_kernel_has_part(small, "packed/later-alone.cl"));
  request.settings.params.sp = 6;
  g_autoptr(MsPlan) large = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_true(ms_gpu_kernel_has_part(large, "packed/later-merged.cl"));
  g_assert_cmpuint(large->n_passes, ==, 3);
  request.settings.params.max_iterations = 1;
  g_autoptr(MsPlan) once = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(once->n_passes, ==, 2);
}

/* `auto` chooses the matrix kernel where it is faster, on devices that support it. */
static void
test_preference(void)
{
  static const struct {
    double sp;
    guint capability;
    MsKernel kernel;
  } cases[] = {{14, 90, MS_KERNEL_PACKED},   {14.5, 90, MS_KERNEL_PACKED}, {15, 90, MS_KERNEL_MATRIX},
               {15.5, 90, MS_KERNEL_PACKED}, {64, 80, MS_KERNEL_MATRIX},   {40, 75, MS_KERNEL_PACKED},
               {40, 52, MS_KERNEL_DIRECT}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    MsPlanCase request = ms_gpu_kernel_request(MS_KERNEL_AUTO, cases[i].capability);
    g_autoptr(GError) error = NULL;

    request.settings.params.sp = cases[i].sp;
    g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint(plan->settings.options.kernel, ==, cases[i].kernel);
  }
}

static void
test_refusals(void)
{
  MsPlanCase request = ms_gpu_kernel_request(MS_KERNEL_PACKED, 90);

  ms_gpu_kernel_assert_common_refusals(MS_KERNEL_PACKED);
  request.settings.params.sr = 255;
  ms_gpu_kernel_assert_refused(&request, "255");
  request = ms_gpu_kernel_request(MS_KERNEL_PACKED, 90);
  request.settings.params.sp = 6;
  request.limits.local_memory = 1024;
  ms_gpu_kernel_assert_refused(&request, "local memory");
  request = ms_gpu_kernel_request(MS_KERNEL_PACKED, 90);
  request.limits.max_work_group = 64;
  ms_gpu_kernel_assert_refused(&request, "work-group");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/packed-kernel/parts", test_parts);
  g_test_add_func("/packed-kernel/merging", test_merging);
  g_test_add_func("/packed-kernel/regions", test_regions);
  g_test_add_func("/packed-kernel/stripes", test_stripes);
  g_test_add_func("/packed-kernel/radii", test_radii);
  g_test_add_func("/packed-kernel/plan", test_plan);
  g_test_add_func("/packed-kernel/plan-by-radius", test_plan_by_radius);
  g_test_add_func("/packed-kernel/preference", test_preference);
  g_test_add_func("/packed-kernel/refusals", test_refusals);
  return g_test_run();
}
