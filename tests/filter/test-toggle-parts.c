/* SPDX-License-Identifier: MIT */
/*
 * What each value of each toggle changes in the plan of the direct kernel: the part it chooses, the constant it sets,
 * the work-items it launches. A toggle without effect would still give the right result, so the plan is tested.
 */
#include <string.h>

#include "core/filter/plan/plan.h"
#include "core/filter/settings/settings.h"
#include "tests/support/cases.h"
#include "tests/support/gpu-kernel.h"

static MsPlan *
plan_of(const MsToggles *options, MsRule rule)
{
  MsPlanCase request = ms_gpu_kernel_request(MS_KERNEL_DIRECT, 0);
  g_autoptr(GError) error = NULL;

  request.limits.images = TRUE;
  request.limits.image_max_width = request.limits.image_max_height = 16384;
  request.settings.options = *options;
  request.settings.options.kernel = MS_KERNEL_DIRECT;
  request.settings.params.rule = rule;
  MsPlan *plan = ms_plan_case_new(&request, &error);
  g_assert_no_error(error);
  return plan;
}

static MsPlan *
plan_with(const MsToggles *options)
{
  return plan_of(options, MS_RULE_OPENCV);
}

/* Of the parts that exclude each other, the plan has the one that is named and no other. */
static void
assert_only_part_of(const MsPlan *plan, const char *const *choices, const char *chosen)
{
  for (int i = 0; choices[i]; i++)
    if (ms_gpu_kernel_has_part(plan, choices[i]) != (strcmp(choices[i], chosen) == 0))
      g_error("The plan with %s should have no other such part, but %s differs.", chosen, choices[i]);
}

static void
assert_only_part(const MsToggles *options, const char *const *choices, const char *chosen)
{
  g_autoptr(MsPlan) plan = plan_with(options);

  assert_only_part_of(plan, choices, chosen);
}

static void
assert_plan_defines(const MsPlan *plan, const char *name, int value)
{
  g_autofree char *all = g_strdup_printf(" %s ", ms_program_spec_get_options(plan->program));
  g_autofree char *wanted = g_strdup_printf(" -D%s=%d ", name, value);

  if (!strstr(all, wanted))
    g_error("%s is not %d among the options of the build:%s", name, value, all);
}

static void
assert_define(const MsToggles *options, const char *name, int value)
{
  g_autoptr(MsPlan) plan = plan_with(options);

  assert_plan_defines(plan, name, value);
}

static MsToggles
defaults(void)
{
  return ms_settings_default().options;
}

static void
test_memory(void)
{
  static const char *const choices[] = {"direct/source-buffer.cl", "direct/source-image.cl", NULL};
  MsToggles options = defaults();

  for (options.memory = MS_MEMORY_BUFFER; options.memory <= MS_MEMORY_IMAGE; options.memory++) {
    g_autoptr(MsPlan) plan = plan_with(&options);
    assert_only_part(&options, choices, choices[options.memory]);
    g_assert_true(plan->source_is_image == (options.memory == MS_MEMORY_IMAGE));
  }
}

static void
test_local_memory(void)
{
  static const char *const choices[] = {"direct/window-global.cl", "direct/window-local.cl", NULL};
  MsToggles options = defaults();

  options.work_group_width = 16;
  options.work_group_height = 8;
  for (options.local_memory = 0; options.local_memory <= 1; options.local_memory++) {
    g_autoptr(MsPlan) plan = plan_with(&options);
    assert_only_part(&options, choices, choices[options.local_memory]);
    g_assert_cmpuint(plan->passes[0].local_bytes, ==, options.local_memory ? 16 * 8 * 4 : 0);
  }
}

/*
 * The sampler of an image repeats the edge, so that under `replicate` no bounds are tested in the kernel; under the
 * other rules none are in work-groups whose windows stay inside the image.
 */
static void
test_border(void)
{
  static const MsRule rules[] = {MS_RULE_REPLICATE, MS_RULE_OPENCV, MS_RULE_TRUNCATE};
  MsToggles options = defaults();

  for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
    for (options.memory = MS_MEMORY_BUFFER; options.memory <= MS_MEMORY_IMAGE; options.memory++) {
      g_autoptr(MsPlan) plan = plan_of(&options, rules[i]);
      assert_plan_defines(plan, "FROM_IMAGE", options.memory == MS_MEMORY_IMAGE);
      assert_plan_defines(plan, "REPLICATES", rules[i] == MS_RULE_REPLICATE);
    }
}

/* The tile in local memory is read where a step lies in it, and filled by every work-item with its own pixel. */
static void
test_local_memory_is_read(void)
{
  MsToggles options = defaults();

  options.local_memory = 1;
  g_autoptr(MsPlan) plan = plan_with(&options);
  g_autofree char *source = ms_program_spec_compose(plan->program);
  g_assert_nonnull(strstr(source, "if (in_tile(origin, x, y, UNROLL))\n    add_step_tile("));
  g_assert_nonnull(strstr(source, "return x >= origin.x && x + count <= origin.x + TILE_WIDTH && y >= origin.y &&"));
}

static void
test_unroll_and_access(void)
{
  static const char *const choices[] = {"direct/step-pointer.cl", "direct/step-vload.cl", NULL};
  static const int unrolls[] = {1, 2, 4};
  MsToggles options = defaults();

  for (gsize i = 0; i < G_N_ELEMENTS(unrolls); i++) {
    options.unroll = unrolls[i];
    options.access = MS_ACCESS_POINTER;
    assert_only_part(&options, choices, "direct/step-pointer.cl");
    assert_define(&options, "UNROLL", unrolls[i]);
    options.access = MS_ACCESS_VLOAD;
    assert_only_part(&options, choices, "direct/step-vload.cl");
    assert_define(&options, "UNROLL", unrolls[i]);
    assert_define(&options, "STEP_BYTES", 4 * unrolls[i]);
  }
}

static void
test_work_group(void)
{
  MsToggles options = defaults();

  options.work_group_width = 16;
  options.work_group_height = 2;
  g_autoptr(MsPlan) plan = plan_with(&options);
  g_assert_cmpuint(plan->passes[0].local[0], ==, 16);
  g_assert_cmpuint(plan->passes[0].local[1], ==, 2);
  assert_define(&options, "TILE_WIDTH", 16);
  assert_define(&options, "TILE_HEIGHT", 2);
}

/* Refilled lanes: a work-item takes several pixels, so that fewer are launched. */
static void
test_schedule(void)
{
  static const char *const choices[] = {"direct/mean-shift-direct.cl", "direct/mean-shift-refill.cl", NULL};
  MsToggles options = defaults();

  options.schedule = MS_SCHEDULE_FIXED;
  g_autoptr(MsPlan) fixed = plan_with(&options);
  assert_only_part(&options, choices, choices[0]);
  g_assert_cmpstr(fixed->passes[0].function, ==, "mean_shift_direct");
  g_assert_cmpint(fixed->passes[0].item_height, ==, 1);
  options.schedule = MS_SCHEDULE_REFILL;
  g_autoptr(MsPlan) refill = plan_with(&options);
  assert_only_part(&options, choices, choices[1]);
  g_assert_cmpstr(refill->passes[0].function, ==, "mean_shift_refill");
  g_assert_cmpint(refill->passes[0].item_height, ==, 8);
  assert_define(&options, "REFILL_ROWS", 8);
}

void
ms_test_toggle_parts(void)
{
  g_test_add_func("/toggle-parts/memory", test_memory);
  g_test_add_func("/toggle-parts/border", test_border);
  g_test_add_func("/toggle-parts/local-memory", test_local_memory);
  g_test_add_func("/toggle-parts/local-memory-is-read", test_local_memory_is_read);
  g_test_add_func("/toggle-parts/unroll-and-access", test_unroll_and_access);
  g_test_add_func("/toggle-parts/work-group", test_work_group);
  g_test_add_func("/toggle-parts/schedule", test_schedule);
}
