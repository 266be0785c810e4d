/* SPDX-License-Identifier: MIT */
/*
 * The matrix kernel against the reference, where a device has no matrix units with plain C in place of their
 * instructions (on a GPU or a simulator of one), and what its plan chooses and refuses.
 */
#include "core/filter/mean-shift.h"
#include "core/filter/plan/plan-private.h"
#include "core/filter/plan/plan.h"
#include "tests/support/fixture.h"
#include "tests/support/gpu-kernel.h"

static gboolean
open_gpu(MsOptionProduct *product)
{
  if (!ms_option_product_open(product))
    return FALSE;
  if (product->context->device->limits.type != MS_DEVICE_TYPE_CPU)
    return TRUE;
  g_clear_pointer(&product->filter, ms_mean_shift_free);
  g_clear_pointer(&product->context, ms_context_unref);
  g_test_skip("The matrix kernel is for GPUs; here it runs under Oclgrind only.");
  return FALSE;
}

/*
 * Both rules; the largest colour radius accepts everything, zero only equal colours; pixels that are merged with others
 * which are merged later; another colour space.
 */
static void
test_parts(void)
{
  static const MsParams list[] = {
    {2, 20, 3, 1, MS_RULE_OPENCV},   {1, 510, 2, 0, MS_RULE_TRUNCATE},
    {3, 60, 2, 1, MS_RULE_TRUNCATE}, {1, 0, 2, 1, MS_RULE_OPENCV},
    {4, 510, 8, 0, MS_RULE_OPENCV},  {.sp = 2, .sr = 20, .max_iterations = 3, .epsilon = 1, .space = MS_SPACE_LUV}};
  g_autoptr(MsImage) scene =
    ms_fixture_scene(ms_fixture_under_oclgrind() ? 11 : 83, ms_fixture_under_oclgrind() ? 9 : 47, 5);
  MsOptionProduct product;

  if (!open_gpu(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(list); i++)
    ms_gpu_kernel_compare(&product, MS_KERNEL_MATRIX, scene, &list[i], NULL);
  g_assert_cmpuint(product.refused, ==, 0);
  ms_option_product_close(&product);
}

/* A part of an image, which starts between the blocks of 4 x 4, and one pixel. */
static void
test_regions(void)
{
  static const MsRegion regions[] = {{3, 2, 5, 6}, {10, 8, 1, 1}};
  MsParams params = {2, 60, 2, 1, MS_RULE_OPENCV};
  g_autoptr(MsImage) noise = ms_fixture_noise(11, 9, 4);
  MsOptionProduct product;

  if (!open_gpu(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(regions); i++)
    ms_gpu_kernel_compare(&product, MS_KERNEL_MATRIX, noise, &params, &regions[i]);
  g_assert_cmpuint(product.refused, ==, 0);
  ms_option_product_close(&product);
}

/* A device's full tests: radii up to the largest, colour radii, and pixels that wander far. */
static void
test_radii(void)
{
  static const double radii[] = {1, 2, 3, 4, 5, 8, 10, 15, 16, 17, 33, 64};
  g_autoptr(MsImage) scene = ms_fixture_scene(333, 217, 6);
  MsOptionProduct product;

  if (ms_fixture_under_oclgrind()) {
    g_test_skip("Large windows take too long in a simulator; /matrix-kernel/parts covers the accesses.");
    return;
  }
  if (!open_gpu(&product))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(radii); i++)
    for (int sr = 0; sr <= 60; sr += 20) {
      MsParams params = {radii[i], sr, sr == 40 ? 100 : 5, 1, i % 2 ? MS_RULE_OPENCV : MS_RULE_TRUNCATE};
      ms_gpu_kernel_compare(&product, MS_KERNEL_MATRIX, scene, &params, NULL);
    }
  g_assert_cmpuint(product.refused, ==, 0);
  ms_option_product_close(&product);
}

static void
test_plan(void)
{
  static const guint capabilities[] = {0, 75, 80, 90};

  for (gsize i = 0; i < G_N_ELEMENTS(capabilities); i++) {
    MsPlanCase request = ms_gpu_kernel_request(MS_KERNEL_MATRIX, capabilities[i]);
    gboolean fast = capabilities[i] >= MS_KERNEL_MATRIX_CAPABILITY;
    g_autoptr(GError) error = NULL;

    if (fast)
      g_assert_null(ms_plan_case_refusal(&request));
    else
      ms_gpu_kernel_assert_refused(&request, "--kernel packed");
    /* `auto` chooses it for colour radii that the packed kernel refuses. */
    request.settings.options.kernel = MS_KERNEL_AUTO;
    request.settings.params.sr = 255;
    g_autoptr(MsPlan) chosen = ms_plan_case_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint(chosen->settings.options.kernel, ==, fast ? MS_KERNEL_MATRIX : MS_KERNEL_DIRECT);
  }
}

static void
test_refusals(void)
{
  MsPlanCase request = ms_gpu_kernel_request(MS_KERNEL_MATRIX, 90);

  ms_gpu_kernel_assert_common_refusals(MS_KERNEL_MATRIX);
  request.limits.type = MS_DEVICE_TYPE_CPU;
  request.limits.nvidia_capability = 0;
  ms_gpu_kernel_assert_refused(&request, "--kernel rows");
  request = ms_gpu_kernel_request(MS_KERNEL_MATRIX, 90);
  request.job.size.width = request.job.size.height = 65000;
  ms_gpu_kernel_assert_refused(&request, "16 GiB");
  request = ms_gpu_kernel_request(MS_KERNEL_MATRIX, 90);
  request.settings.params.sp = 5.5;
  ms_gpu_kernel_assert_refused(&request, "--sp 5.5");
  request = ms_gpu_kernel_request(MS_KERNEL_MATRIX, 90);
  request.limits.local_memory = 1024;
  ms_gpu_kernel_assert_refused(&request, "local memory");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/matrix-kernel/parts", test_parts);
  g_test_add_func("/matrix-kernel/regions", test_regions);
  g_test_add_func("/matrix-kernel/radii", test_radii);
  g_test_add_func("/matrix-kernel/plan", test_plan);
  g_test_add_func("/matrix-kernel/refusals", test_refusals);
  return g_test_run();
}
