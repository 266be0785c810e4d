/* SPDX-License-Identifier: MIT */
/*
 * Radii at and next to a half, whose windows are rounded by the parity of the coordinate, in the rows and packed
 * kernels: odd and even sides, regions, borders, stripes and devices that share an image. The suite runs two radii with
 * all kernels, and one on either side of a half; CI runs every row of the tables with all kernels.
 */
#include <math.h>
#include <string.h>

#include "core/filter/plan/plan.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"

static const MsKernel kernels[] = {MS_KERNEL_ROWS, MS_KERNEL_ROWS_WIDE, MS_KERNEL_PACKED};

static MsSettings
settings_for(MsKernel kernel, double sp)
{
  MsSettings settings = ms_settings_default();

  settings.params.sp = sp;
  settings.params.sr = 60;
  settings.params.epsilon = 0;
  settings.options.kernel = kernel;
  return settings;
}

static void
compare_some(MsOptionProduct *product, MsImage *source, const MsRegion *region, double sp, gsize n_kernels)
{
  MsSettings settings = settings_for(MS_KERNEL_AUTO, sp);

  ms_option_product_compare_kernels(product, source, &settings, region, kernels, n_kernels);
}

static void
compare(MsOptionProduct *product, MsImage *source, const MsRegion *region, double sp)
{
  compare_some(product, source, region, sp, G_N_ELEMENTS(kernels));
}

/* Radii on both sides of every change of a part: two rows a vector, one, several; records of two columns or four. */
static void
test_radii(void)
{
  static const struct {
    MsTestForm form;
    double sp;
  } radii[] = {{MS_TEST_SUITE, 5.5}, {MS_TEST_CI, 1.5},  {MS_TEST_CI, 12.5}, {MS_TEST_CI, 2.5},  {MS_TEST_CI, 3.5},
               {MS_TEST_CI, 4.5},    {MS_TEST_CI, 6.5},  {MS_TEST_CI, 7.5},  {MS_TEST_CI, 10.5}, {MS_TEST_CI, 13.5},
               {MS_TEST_CI, 14.5},   {MS_TEST_CI, 15.5}, {MS_TEST_CI, 16.5}, {MS_TEST_CI, 31.5}, {MS_TEST_CI, 63.5}};
  g_autoptr(MsImage) odd = ms_fixture_scene(77, 23, 3), even = ms_fixture_noise(66, 30, 4);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Compilations of many programs take too long in a simulator; /halves/places covers the accesses.");
    return;
  }
  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(radii); i++)
    if (radii[i].form <= ms_fixture_form()) {
      compare(&product, odd, NULL, radii[i].sp);
      compare(&product, even, NULL, radii[i].sp);
    }
  ms_option_product_close(&product);
}

/* Sides of 1 to 6, regions that begin at odd and even places, and stripes that begin in odd and even rows. */
static void
test_places(void)
{
  static const MsRegion regions[] = {{0, 0, 19, 12}, {1, 1, 7, 6}, {2, 3, 9, 1}, {5, 2, 1, 9}, {18, 11, 1, 1}};
  g_autoptr(MsImage) scene = ms_fixture_noise(19, 12, 5);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(regions); i++)
    compare(&product, scene, &regions[i], 2.5);
  for (int side = 1; side <= 6 && !ms_fixture_under_oclgrind(); side++) {
    g_autoptr(MsImage) small = ms_fixture_noise(side, 7 - side, side);
    compare(&product, small, NULL, 2.5);
  }
  ms_option_product_close(&product);
}

static void
test_stripes(void)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(64, 120, 6);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Stripes change no access of the kernels; /halves/places covers those.");
    return;
  }
  if (!ms_option_product_open(&product))
    return;
  for (guint64 rows = 79; rows <= 80; rows++) {
    ms_mean_shift_set_memory_budget(product.filter, rows * 64 * 32);
    compare(&product, scene, NULL, 2.5);
  }
  ms_option_product_close(&product);
}

/* In single precision, x - sp and x + sp are rounded to a half from different coordinates on. */
static void
test_next_to_half(void)
{
  /* The radius is a constant of the packed kernel, the last one. */
  const struct {
    double sp;
    gsize n_kernels_of_suite;
  } radii[] = {{nextafterf(2.5f, 0), G_N_ELEMENTS(kernels)}, {nextafterf(2.5f, 3), G_N_ELEMENTS(kernels) - 1}};
  g_autoptr(MsImage) wide = ms_fixture_noise(150, 9, 7);
  MsOptionProduct product;
  int radius;

  if (!ms_option_product_open(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(radii) && !ms_fixture_under_oclgrind(); i++) {
    MsSettings settings = settings_for(MS_KERNEL_AUTO, radii[i].sp);
    const gsize n = ms_fixture_form() >= MS_TEST_CI ? G_N_ELEMENTS(kernels) : radii[i].n_kernels_of_suite;
    g_assert_false(ms_params_whole_radius(&settings.params, 150, &radius));
    compare_some(&product, wide, NULL, radii[i].sp, n);
  }
  compare(&product, wide, &(MsRegion){20, 2, 9, 3}, radii[0].sp);
  ms_option_product_close(&product);
}

/* Two filters on one device share the image in steps that begin in odd and even rows. */
static void
test_split(void)
{
  g_autoptr(MsContext) present = ms_fixture_context();
  g_autoptr(MsImage) scene = ms_fixture_scene(50, 53, 8);
  g_autoptr(GPtrArray) contexts = g_ptr_array_new_with_free_func((GDestroyNotify)ms_context_unref);
  MsSettings settings = settings_for(MS_KERNEL_ROWS, 2.5);
  g_autoptr(GError) error = NULL;

  if (present && !ms_fixture_has_vectors(present, MS_KERNEL_ROWS))
    settings.options.kernel = MS_KERNEL_PACKED;
  if (!present || ms_fixture_under_oclgrind()) {
    g_test_skip("Shares change no access of the kernels; /halves/places covers those.");
    return;
  }
  g_ptr_array_add(contexts, ms_context_ref(present));
  g_ptr_array_add(contexts, ms_context_new(present->device, &error));
  g_assert_no_error(error);
  g_autoptr(MsImage) expected = ms_fixture_reference(scene, &settings.params, NULL, &error);
  g_autoptr(MsMeanShift) both = ms_mean_shift_new_several(contexts);
  g_autoptr(MsImage) actual = ms_fixture_filter(both, (MsJob){.source = scene, .settings = &settings}, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, actual, "split");
}

static void
test_plan(void)
{
  const MsDeviceLimits limits = ms_fixture_limits(MS_DEVICE_TYPE_CPU);
  MsSettings settings = settings_for(MS_KERNEL_AUTO, 10.5);
  MsPlanCase request = ms_plan_case(&settings, &limits, 640, 480);
  g_autoptr(GError) error = NULL;

  request.limits.vector_bytes = 32; /* the rows-wide kernel is not tried, so nothing is rejected */
  g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->settings.options.kernel, ==, MS_KERNEL_ROWS);
  g_assert_cmpint(plan->radius, ==, 11);
  g_assert_null(plan->rejected);
  request.limits.type = MS_DEVICE_TYPE_GPU;
  request.limits.nvidia_capability = 90;
  g_autoptr(MsPlan) gpu = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(gpu->settings.options.kernel, ==, MS_KERNEL_PACKED);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/halves/radii", test_radii);
  g_test_add_func("/halves/places", test_places);
  g_test_add_func("/halves/stripes", test_stripes);
  g_test_add_func("/halves/next-to-half", test_next_to_half);
  g_test_add_func("/halves/split", test_split);
  g_test_add_func("/halves/plan", test_plan);
  return g_test_run();
}
