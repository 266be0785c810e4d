/* SPDX-License-Identifier: MIT */
/*
 * Modes of pixels: every kernel that writes them against the serial reference. The suite runs each with a small radius,
 * and packed also with a radius at which it merges pixels; CI each with both.
 */
#include <string.h>

#include "core/filter/plan/plan-private.h"
#include "tests/support/fixture.h"

static const struct {
  const char *option;
  const char *value;
  MsTestForm large_windows; /* the form that runs them first */
} cases[] = {{"kernel", "direct", MS_TEST_CI},
             {"kernel", "rows", MS_TEST_CI},
             {"kernel", "rows-wide", MS_TEST_CI},
             {"kernel", "packed", MS_TEST_SUITE},
             {"schedule", "refill", MS_TEST_CI}};

/* A small budget cuts the image into stripes. */
static void
compare(MsMeanShift *filter, MsImage *source, const MsSettings *settings, guint64 budget)
{
  gsize bytes = ms_image_get_byte_size(source);
  g_autofree guint16 *expected = g_malloc(bytes), *modes = g_malloc(bytes);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) reference = ms_fixture_reference_modes(source, &settings->params, expected, &error);

  g_assert_no_error(error);
  memset(modes, 0xff, bytes);
  ms_mean_shift_set_memory_budget(filter, budget);
  g_autoptr(MsImage) result = ms_fixture_filter(
    filter, (MsJob){.source = source, .settings = settings, .wants_modes = TRUE, .modes_into = modes}, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(reference, result, "with modes");
  g_assert_cmpmem(expected, bytes, modes, bytes);
}

static void
test_kernels(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  const gboolean simulated = ms_fixture_under_oclgrind();
  g_autoptr(MsImage) source = ms_fixture_scene(simulated ? 23 : 131, simulated ? 9 : 47, 21);

  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    MsSettings settings = ms_settings_default();
    g_autoptr(GError) error = NULL;

    ms_option_set_text(ms_option_find(cases[i].option), &settings, cases[i].value, &error);
    g_assert_no_error(error);
    if (!ms_fixture_has_vectors(context, settings.options.kernel))
      continue;
    settings.params.sp = simulated ? 2 : 4;
    compare(filter, source, &settings, 0);
    if (simulated)
      continue;
    if (i == 0)
      compare(filter, source, &settings, 131 * 45 * 12);
    if (cases[i].large_windows > ms_fixture_form())
      continue;
    settings.params.sp = 18;
    compare(filter, source, &settings, 0);
  }
}

/* The memory for stripes of @rows rows, with the rows of the level above. */
static guint64
budget_for_rows(MsMeanShift *filter, MsImage *source, const MsSettings *settings, int rows)
{
  guint16 modes[1];
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) whole = ms_mean_shift_plan(
    filter, &(MsJob){.source = source, .settings = settings, .wants_modes = TRUE, .modes_into = modes}, &error);

  g_assert_no_error(error);
  return ms_plan_device_bytes(whole, rows) + 3 * (guint64)ms_image_get_width(source) * (guint64)rows;
}

/* Pixels that a level does not filter again have modes of the level above. */
static void
test_levels(void)
{
  /* In the suite every level has a whole radius, so that all of them share programs. */
  static const struct {
    MsTestForm form;
    MsKernel kernel;
    double sp;
  } level_cases[] = {{MS_TEST_SUITE, MS_KERNEL_DIRECT, 4},
                     {MS_TEST_CI, MS_KERNEL_DIRECT, 3},
                     {MS_TEST_CI, MS_KERNEL_ROWS, 3},
                     {MS_TEST_CI, MS_KERNEL_PACKED, 3}};
  const gboolean simulated = ms_fixture_under_oclgrind();
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) source = ms_fixture_scene(simulated ? 21 : 45, simulated ? 19 : 39, 22);

  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  for (gsize i = 0; i < G_N_ELEMENTS(level_cases); i++) {
    MsSettings settings = ms_settings_default();
    if (level_cases[i].form > ms_fixture_form() || !ms_fixture_has_vectors(context, level_cases[i].kernel))
      continue;
    settings.params.sp = level_cases[i].sp;
    settings.params.max_iterations = 2;
    settings.params.levels = 2;
    settings.options.kernel = level_cases[i].kernel;
    compare(filter, source, &settings, 0);
    if (!simulated)
      compare(filter, source, &settings, budget_for_rows(filter, source, &settings, 8));
  }
}

static void
test_refusals(void)
{
  const MsDeviceLimits limits = ms_fixture_limits(MS_DEVICE_TYPE_GPU);
  const MsSettings settings = ms_settings_default();
  MsPlanCase request = ms_plan_case(&settings, &limits, 640, 480);

  request.job.wants_modes = TRUE;
  g_assert_null(ms_plan_case_refusal(&request));
  request.settings.options.kernel = MS_KERNEL_MATRIX;
  request.limits.nvidia_capability = MS_KERNEL_MATRIX_CAPABILITY;
  ms_fixture_assert_refused(&request, "modes");
  request.settings.options.kernel = MS_KERNEL_AUTO;
  request.settings.params.levels = 1;
  g_assert_null(ms_plan_case_refusal(&request));
  request.settings.params.levels = 0;
  request.settings.params.rule = MS_RULE_REPLICATE;
  ms_fixture_assert_refused(&request, "--rule");
  request.settings.params.rule = MS_RULE_OPENCV;
  request.job.size.width = 70000;
  ms_fixture_assert_refused(&request, "65535");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/modes/kernels", test_kernels);
  g_test_add_func("/modes/levels", test_levels);
  g_test_add_func("/modes/refusals", test_refusals);
  return g_test_run();
}
