/* SPDX-License-Identifier: MIT */
/* The stripes and bands of plans: the memory of a stripe and the rows of a launch. */
#include "core/filter/plan/plan.h"
#include "core/filter/settings/settings.h"
#include "tests/support/cases.h"
#include "tests/support/gpu-kernel.h"

static MsPlan *
new_plan(const MsPlanCase *request)
{
  g_autoptr(GError) error = NULL;
  MsPlan *plan = ms_plan_case_new(request, &error);

  g_assert_no_error(error);
  return plan;
}

static MsPlanCase
large_request(MsKernel kernel)
{
  MsPlanCase request = ms_gpu_kernel_request(kernel, 0);

  request.settings.params.sp = 5;
  request.job.size.width = 1000;
  request.job.size.height = 60000;
  return request;
}

/* Every buffer of a stripe fits one allocation, for any amount of device memory. */
static void
test_one_allocation(void)
{
  MsPlanCase request = large_request(MS_KERNEL_DIRECT);

  request.limits.max_allocation = 16 << 20;
  g_autoptr(MsPlan) plan = new_plan(&request);
  g_assert_cmpint(plan->tile_rows, <, request.job.size.height);
  g_assert_cmpuint(ms_plan_device_bytes(plan, plan->tile_rows), <=, request.limits.max_allocation);
}

/* The packed kernel has records of 4 bytes a pixel or more and a list of 16 besides source and result. */
static void
test_scratch_counts(void)
{
  MsPlanCase direct = large_request(MS_KERNEL_DIRECT), packed = large_request(MS_KERNEL_PACKED);

  direct.share.memory_budget = packed.share.memory_budget = 32 << 20;
  g_autoptr(MsPlan) without = new_plan(&direct);
  g_autoptr(MsPlan) with = new_plan(&packed);
  g_assert_cmpint(without->n_scratch, ==, 0);
  g_assert_cmpint(with->n_scratch, >, 0);
  g_assert_cmpint(2 * with->tile_rows, <, without->tile_rows);
}

/* A launch of many rows takes a multiple of 16, so that no work-group has rows outside it. */
static void
test_launches_keep_work_groups_whole(void)
{
  MsPlanCase request = large_request(MS_KERNEL_DIRECT);

  request.settings.params.sp = 64;
  request.settings.params.max_iterations = 3;
  g_autoptr(MsPlan) plan = new_plan(&request);
  g_assert_cmpint(plan->band_rows, >, 16);
  g_assert_cmpint(plan->band_rows, <, request.job.size.height);
  g_assert_cmpint(plan->band_rows % 16, ==, 0);
  request.job.size.height = 21;
  g_autoptr(MsPlan) low = new_plan(&request);
  g_assert_cmpint(low->band_rows, ==, 21);
}

/* Work-items of the rows kernels are tiles below each other that share sums; a launch has whole ones, and many. */
static void
test_launches_keep_tiles_whole(void)
{
  MsPlanCase request = large_request(MS_KERNEL_ROWS);

  request.settings.params.sp = 30;
  g_autoptr(MsPlan) plan = new_plan(&request);
  const MsPass *filter = &plan->passes[plan->n_passes - 1];
  g_assert_cmpint(filter->item_height, >, 16);
  g_assert_cmpint(plan->band_rows, <, request.job.size.height);
  g_assert_cmpint(plan->band_rows % filter->item_height, ==, 0);
}

/* The rows of a launch of a rows kernel with windows of 129x129, where a row of work-items is @width pixels long. */
static int
rows_of_large_windows(int width)
{
  MsPlanCase request = large_request(MS_KERNEL_ROWS);

  request.limits.type = MS_DEVICE_TYPE_CPU;
  request.settings.params.sp = 64;
  request.job.size.width = width;
  g_autoptr(MsPlan) plan = new_plan(&request);
  return plan->band_rows;
}

/* A launch has twenty work-items of 64x32 pixels or more, but at most four times the samples of other launches. */
static void
test_launches_are_balanced(void)
{
  g_assert_cmpint(rows_of_large_windows(320), ==, 4 * 32);
  g_assert_cmpint(rows_of_large_windows(640), ==, 2 * 32);
  g_assert_cmpint(rows_of_large_windows(1280), ==, 32);
  g_assert_cmpint(rows_of_large_windows(6400), ==, 12);
}

void
ms_test_stripes(void)
{
  g_test_add_func("/stripes/one-allocation", test_one_allocation);
  g_test_add_func("/stripes/scratch-counts", test_scratch_counts);
  g_test_add_func("/stripes/launches-keep-work-groups-whole", test_launches_keep_work_groups_whole);
  g_test_add_func("/stripes/launches-keep-tiles-whole", test_launches_keep_tiles_whole);
  g_test_add_func("/stripes/launches-are-balanced", test_launches_are_balanced);
}
