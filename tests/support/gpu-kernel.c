/* SPDX-License-Identifier: MIT */
#include "tests/support/gpu-kernel.h"

#include <string.h>

#include "core/filter/plan/plan-private.h"
#include "tests/support/fixture.h"

/* Work-items of a group of tests/filter/warp-portable.cl, and local memory that is enough for it. */
#define STAND_IN_WIDTH 8
#define STAND_IN_HEIGHT 4
#define STAND_IN_BYTES 16384

static GBytes *
read_stand_in(void)
{
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "filter", "warp-portable.cl", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, &error);

  g_assert_no_error(error);
  return g_mapped_file_get_bytes(file);
}

/**
 * ms_gpu_kernel_stand_in: (nullable): a plan for a job with the matrix kernel on a GPU without matrix units, such as
 * Oclgrind's, where plain C stands in for their instructions; %NULL for other kernels and devices, whose plan the
 * filter makes.
 */
MsPlan *
ms_gpu_kernel_stand_in(MsOptionProduct *product, const MsJob *job)
{
  MsDeviceLimits limits = product->context->device->limits;
  g_autoptr(GBytes) plain_c = NULL;
  g_autoptr(GError) error = NULL;

  if (job->settings->options.kernel != MS_KERNEL_MATRIX || limits.type == MS_DEVICE_TYPE_CPU ||
      limits.nvidia_capability >= MS_KERNEL_MATRIX_CAPABILITY)
    return NULL;
  limits.nvidia_capability = MS_KERNEL_MATRIX_CAPABILITY;
  MsPlan *plan = ms_plan_new(job, &(MsDeviceShare){.limits = &limits}, &error);
  g_assert_no_error(error);
  plain_c = read_stand_in();
  g_assert_true(ms_program_spec_replace_part(plan->program, "matrix/warp-nvidia.cl", plain_c));
  for (guint i = 0; i < plan->n_passes; i++)
    if (strcmp(plan->passes[i].function, "mean_shift_matrix") == 0) {
      plan->passes[i].local[0] = STAND_IN_WIDTH;
      plan->passes[i].local[1] = STAND_IN_HEIGHT;
      plan->passes[i].item_height = STAND_IN_WIDTH / STAND_IN_HEIGHT;
      plan->passes[i].local_bytes = STAND_IN_BYTES;
    }
  return plan;
}

/** ms_gpu_kernel_compare: compares a run of that kernel with the reference. */
void
ms_gpu_kernel_compare(MsOptionProduct *product, MsKernel kernel, MsImage *source, const MsParams *params,
                      const MsRegion *region)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) expected = ms_fixture_reference(source, params, region, &error);
  MsSettings settings = ms_settings_default();
  MsJob job = {.source = source, .settings = &settings, .region = region};

  g_assert_no_error(error);
  settings.params = *params;
  settings.options.kernel = kernel;
  g_autoptr(MsPlan) stand_in = ms_gpu_kernel_stand_in(product, &job);
  if (!stand_in) {
    ms_option_product_compare(product, source, expected, &settings, region);
    return;
  }
  job.plan = stand_in;
  g_autoptr(MsImage) actual = ms_fixture_filter(product->filter, job, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, actual, "the matrix kernel in plain C");
  product->ran++;
}

/**
 * ms_gpu_kernel_request: a run of 640x480 pixels on an invented GPU; @capability is NVIDIA's, 0 for another vendor's.
 */
MsPlanCase
ms_gpu_kernel_request(MsKernel kernel, guint capability)
{
  const MsDeviceLimits limits = {.type = MS_DEVICE_TYPE_GPU,
                                 .compute_units = 132,
                                 .global_memory = G_GUINT64_CONSTANT(16) << 30,
                                 .max_allocation = G_GUINT64_CONSTANT(4) << 30,
                                 .local_memory = 49152,
                                 .max_work_group = 1024,
                                 .max_work_item = {1024, 1024, 64},
                                 .fp64 = TRUE,
                                 .preferred_multiple = 32,
                                 .opencl_version = 300,
                                 .nvidia_capability = capability};
  MsSettings settings = ms_settings_default();

  settings.options.kernel = kernel;
  return ms_plan_case(&settings, &limits, 640, 480);
}

/** ms_gpu_kernel_has_part: whether the plan's program is composed with that file. */
gboolean
ms_gpu_kernel_has_part(const MsPlan *plan, const char *part)
{
  for (guint i = 0; i < ms_program_spec_get_n_parts(plan->program); i++)
    if (strcmp(ms_program_spec_get_part(plan->program, i), part) == 0)
      return TRUE;
  return FALSE;
}

/** ms_gpu_kernel_assert_refused: checks that the plan refuses the request with a sentence that contains @word. */
void
ms_gpu_kernel_assert_refused(const MsPlanCase *request, const char *word)
{
  g_autofree char *reason = ms_plan_case_refusal(request);

  g_assert_nonnull(reason);
  g_assert_nonnull(strstr(reason, word));
}

/** ms_gpu_kernel_assert_common_refusals: checks that what only the direct kernel accepts is refused with its reason. */
void
ms_gpu_kernel_assert_common_refusals(MsKernel kernel)
{
  MsPlanCase request = ms_gpu_kernel_request(kernel, 90);
  g_autoptr(GError) error = NULL;

  request.settings.params.rule = MS_RULE_REPLICATE;
  ms_gpu_kernel_assert_refused(&request, "replicate");
  /* With `auto`, the same request gets another kernel, and the plan states the reason. */
  request.settings.options.kernel = MS_KERNEL_AUTO;
  g_autoptr(MsPlan) plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->settings.options.kernel, ==, MS_KERNEL_DIRECT);
  g_assert_nonnull(strstr(plan->rejected, "replicate"));

  request = ms_gpu_kernel_request(kernel, 90);
  request.settings.options.unroll = 2;
  ms_gpu_kernel_assert_refused(&request, "--unroll");
  request = ms_gpu_kernel_request(kernel, 90);
  request.job.size.width = 65536;
  ms_gpu_kernel_assert_refused(&request, "65535");
}
