/* SPDX-License-Identifier: MIT */
/*
 * The matrix kernel: its plain form against the reference (on a GPU or a simulator of one; on NVIDIA devices with matrix
 * units the form for those), and what its plan chooses and refuses.
 */
#include <string.h>

#include "core/filter/kernels.h"
#include "core/filter/mean-shift.h"
#include "tests/fixture.h"
#include "tests/matrix.h"

static gboolean
under_oclgrind(void)
{
  return g_getenv("MS_TEST_OCLGRIND") != NULL;
}

static gboolean
open_gpu(MsMatrix *matrix)
{
  if (!ms_matrix_open(matrix))
    return FALSE;
  if (ms_context_get_limits(matrix->context)->type != MS_DEVICE_TYPE_CPU)
    return TRUE;
  g_clear_object(&matrix->filter);
  g_clear_object(&matrix->context);
  g_test_skip("The matrix kernel is for GPUs; here it runs under Oclgrind only.");
  return FALSE;
}

static void
compare(MsMatrix *matrix, MsImage *source, const MsParams *params, const MsRegion *region)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_reference_run(source, params, region, NULL, NULL, NULL, &error);
  MsSettings settings = ms_settings_default();

  g_assert_no_error(error);
  settings.params = *params;
  settings.options.kernel = MS_KERNEL_MATRIX;
  ms_matrix_compare(matrix, source, expected, &settings, region);
}

/* Both rules; the largest colour radius accepts everything, zero only equal colours. */
static void
test_parts(void)
{
  static const MsParams list[] = {{2, 20, 3, 1, MS_RULE_OPENCV},
                                  {1, 510, 2, 0, MS_RULE_TRUNCATE},
                                  {3, 60, 2, 1, MS_RULE_TRUNCATE},
                                  {1, 0, 2, 1, MS_RULE_OPENCV}};
  g_autoptr(MsImage) scene = ms_fixture_scene(under_oclgrind() ? 11 : 83, under_oclgrind() ? 9 : 47, 5);
  MsMatrix matrix;

  if (!open_gpu(&matrix))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(list); i++)
    compare(&matrix, scene, &list[i], NULL);
  g_assert_cmpuint(matrix.refused, ==, 0);
  ms_matrix_close(&matrix);
}

/* A part of an image, which starts between the blocks of 4 x 4, and one pixel. */
static void
test_regions(void)
{
  static const MsRegion regions[] = {{3, 2, 5, 6}, {10, 8, 1, 1}};
  MsParams params = {2, 60, 2, 1, MS_RULE_OPENCV};
  g_autoptr(MsImage) noise = ms_fixture_noise(11, 9, 4);
  MsMatrix matrix;

  if (!open_gpu(&matrix))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(regions); i++)
    compare(&matrix, noise, &params, &regions[i]);
  g_assert_cmpuint(matrix.refused, ==, 0);
  ms_matrix_close(&matrix);
}

/* A device's full tests: radii up to the largest, colour radii, and pixels that wander far. */
static void
test_radii(void)
{
  static const double radii[] = {1, 2, 3, 4, 5, 8, 10, 15, 16, 17, 33, 64};
  g_autoptr(MsImage) scene = ms_fixture_scene(333, 217, 6);
  MsMatrix matrix;

  if (under_oclgrind()) {
    g_test_skip("Large windows take too long in a simulator; /matrix-kernel/parts covers the accesses.");
    return;
  }
  if (!open_gpu(&matrix))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS(radii); i++)
    for (int sr = 0; sr <= 60; sr += 20) {
      MsParams params = {radii[i], sr, sr == 40 ? 100 : 5, 1, i % 2 ? MS_RULE_OPENCV : MS_RULE_TRUNCATE};
      compare(&matrix, scene, &params, NULL);
    }
  g_assert_cmpuint(matrix.refused, ==, 0);
  ms_matrix_close(&matrix);
}

static MsPlanRequest
made_up_request(guint capability)
{
  const MsDeviceLimits limits = {.type = MS_DEVICE_TYPE_GPU,
                                 .compute_units = 132,
                                 .global_memory = G_GUINT64_CONSTANT(16) << 30,
                                 .max_allocation = G_GUINT64_CONSTANT(4) << 30,
                                 .local_memory = 49152,
                                 .max_work_group = 1024,
                                 .max_work_item = {1024, 1024, 64},
                                 .fp64 = TRUE,
                                 .little_endian = TRUE,
                                 .preferred_multiple = 32,
                                 .opencl_version = 300,
                                 .nvidia_capability = capability};
  MsSettings settings = ms_settings_default();

  settings.options.kernel = MS_KERNEL_MATRIX;
  return ms_plan_request(&settings, &limits, 640, 480);
}

static gboolean
has_part(const MsPlan *plan, const char *part)
{
  for (guint i = 0; i < ms_program_spec_get_n_parts(plan->program); i++)
    if (strcmp(ms_program_spec_get_part(plan->program, i), part) == 0)
      return TRUE;
  return FALSE;
}

static void
test_plan(void)
{
  static const guint capabilities[] = {0, 75, 80, 90};

  for (gsize i = 0; i < G_N_ELEMENTS(capabilities); i++) {
    MsPlanRequest request = made_up_request(capabilities[i]);
    gboolean fast = capabilities[i] >= MS_KERNEL_MATRIX_CAPABILITY;
    g_autoptr(GError) error = NULL;
    g_autoptr(MsPlan) plan = ms_plan_new(&request, &error);

    g_assert_no_error(error);
    g_assert_true(has_part(plan, "matrix/warp-nvidia.cl") == fast);
    g_assert_true(has_part(plan, "matrix/warp-portable.cl") != fast);
    request.settings.options.kernel = MS_KERNEL_AUTO;
    g_autoptr(MsPlan) chosen = ms_plan_new(&request, &error);
    g_assert_no_error(error);
    g_assert_cmpint(chosen->settings.options.kernel, ==, fast ? MS_KERNEL_MATRIX : MS_KERNEL_DIRECT);
  }
}

static void
assert_refused(const MsPlanRequest *request, const char *word)
{
  g_autofree char *reason = ms_plan_refusal(request);

  g_assert_nonnull(reason);
  g_assert_nonnull(strstr(reason, word));
}

static void
test_refusals(void)
{
  MsPlanRequest request = made_up_request(90);
  g_autoptr(GError) error = NULL;

  request.settings.params.rule = MS_RULE_REPLICATE;
  assert_refused(&request, "replicate");
  /* For auto the same request goes on to the next kernel and says why. */
  request.settings.options.kernel = MS_KERNEL_AUTO;
  g_autoptr(MsPlan) plan = ms_plan_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->settings.options.kernel, ==, MS_KERNEL_DIRECT);
  g_assert_nonnull(strstr(plan->passed_over, "replicate"));

  request = made_up_request(90);
  request.settings.params.sp = 5.5;
  assert_refused(&request, "5.5");
  request = made_up_request(90);
  request.limits.fp64 = FALSE;
  assert_refused(&request, "double precision");
  request = made_up_request(90);
  request.limits.type = MS_DEVICE_TYPE_CPU;
  assert_refused(&request, "--kernel rows");
  request = made_up_request(90);
  request.settings.options.unroll = 2;
  assert_refused(&request, "--unroll");
  request = made_up_request(90);
  request.width = request.region.width = 65536;
  assert_refused(&request, "65535");
  request = made_up_request(90);
  request.width = request.region.width = request.height = request.region.height = 65000;
  assert_refused(&request, "16 GiB");
  request = made_up_request(90);
  request.limits.local_memory = 1024;
  assert_refused(&request, "local memory");
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
