/* SPDX-License-Identifier: MIT */
/*
 * The kernels of `auto` on a device without doubles, which the device under test is told to be, against the reference:
 * every rule, with modes, levels and pixels without data. Every program takes seconds to compile, so that the suite has
 * few of each kernel.
 */
#include <string.h>

#include "core/engine/engine.h"
#include "core/filter/mean-shift.h"
#include "core/filter/plan/plan.h"
#include "tests/support/fixture.h"

/** Case: the form that runs it first, the kernel, its parameters; whether modes are compared, and pixels lack data. */
typedef struct {
  MsTestForm form;
  MsKernel kernel;
  MsParams params;
  gboolean modes;
  gboolean no_data;
} Case;

static const Case cases[] = {
  {MS_TEST_SUITE, MS_KERNEL_ROWS, {5, 20, 5, 0, MS_RULE_OPENCV}, TRUE, FALSE},
  {MS_TEST_SUITE, MS_KERNEL_ROWS, {4, 60, 4, 0, MS_RULE_REPLICATE}, FALSE, FALSE},
  {MS_TEST_SUITE, MS_KERNEL_ROWS_WIDE, {9, 60, 5, 0, MS_RULE_OPENCV}, FALSE, TRUE},
  {MS_TEST_SUITE, MS_KERNEL_PACKED, {3, 60, 5, 0, MS_RULE_OPENCV}, TRUE, TRUE},
  {MS_TEST_SUITE, MS_KERNEL_PACKED, {3.5, 60, 5, 0, MS_RULE_OPENCV}, FALSE, FALSE},
  {MS_TEST_SUITE, MS_KERNEL_PACKED, {6, 200, 5, 0, MS_RULE_TRUNCATE}, FALSE, FALSE},
  {MS_TEST_CI, MS_KERNEL_ROWS, {4, 60, 3, 0, MS_RULE_OPENCV, .levels = 1}, FALSE, FALSE},
  {MS_TEST_CI, MS_KERNEL_ROWS, {16, 60, 5, 0, MS_RULE_OPENCV, .space = MS_SPACE_LAB}, FALSE, FALSE},
  {MS_TEST_CI, MS_KERNEL_ROWS, {7, 441, 5, 0, MS_RULE_TRUNCATE}, TRUE, TRUE},
  {MS_TEST_CI, MS_KERNEL_ROWS, {64, 200, 5, 0, MS_RULE_OPENCV}, FALSE, FALSE},
  {MS_TEST_CI, MS_KERNEL_ROWS_WIDE, {23, 60, 5, 0, MS_RULE_REPLICATE}, FALSE, FALSE},
  {MS_TEST_CI, MS_KERNEL_ROWS_WIDE, {4.5, 60, 5, 0, MS_RULE_OPENCV}, TRUE, TRUE},
  {MS_TEST_CI, MS_KERNEL_PACKED, {3, 60, 5, 0, MS_RULE_OPENCV, .levels = 1}, FALSE, FALSE},
  {MS_TEST_CI, MS_KERNEL_PACKED, {5, 20, 5, 0, MS_RULE_OPENCV, .space = MS_SPACE_LUV}, FALSE, FALSE},
  {MS_TEST_CI, MS_KERNEL_PACKED, {8.5, 60, 5, 0, MS_RULE_OPENCV}, TRUE, FALSE},
  {MS_TEST_CI, MS_KERNEL_PACKED, {64, 200, 5, 0, MS_RULE_OPENCV}, FALSE, FALSE},
};

/* (transfer full): a scene in which the value 90 stands for no data, as a few pixels have. */
static MsImage *
new_map(void)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(83, 47, 5);
  guint8 *pixels = g_memdup2(ms_image_get_pixels(scene), ms_image_get_byte_size(scene));
  g_autoptr(GBytes) text = g_bytes_new_static("90", 3);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(NULL, NULL, 0, 0);

  ms_metadata_take_geo(metadata, ms_geo_new_no_data(text));
  for (gsize i = 0; i < ms_image_get_byte_size(scene); i += 4 * 37)
    memset(pixels + i, 90, 3);
  return ms_image_new_take(83, 47, pixels, metadata);
}

static void
compare(MsMeanShift *filter, MsImage *source, const Case *row)
{
  const gsize bytes = ms_image_get_byte_size(source);
  g_autofree guint16 *expected_modes = g_malloc(bytes);
  g_autofree guint16 *modes = g_malloc(bytes);
  MsSettings settings = ms_settings_default();
  const MsJob job = {
    .source = source, .settings = &settings, .wants_modes = row->modes, .modes_into = row->modes ? modes : NULL};
  g_autoptr(GError) error = NULL;

  settings.params = row->params;
  settings.options.kernel = row->kernel;
  g_autofree char *what = ms_settings_to_arguments(&settings);
  g_autoptr(MsPlan) plan = ms_mean_shift_plan(filter, &job, &error);
  g_assert_no_error(error);
  g_autofree char *program = ms_program_spec_compose(plan->program);
  g_assert_null(strstr(program, "cl_khr_fp64"));
  g_autoptr(MsImage) expected = row->modes ? ms_fixture_reference_modes(source, &row->params, expected_modes, &error)
                                           : ms_fixture_reference(source, &row->params, NULL, &error);
  g_assert_no_error(error);
  g_autoptr(MsImage) result = ms_fixture_filter(filter, job, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(expected, result, what);
  if (row->modes)
    g_assert_cmpmem(expected_modes, bytes, modes, bytes);
}

static void
test_kernels(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) scene = ms_fixture_scene(83, 47, 5);
  g_autoptr(MsImage) map = new_map();

  if (!context)
    return;
  MsDeviceLimits *limits = &context->device->limits;
  const gboolean fp64 = limits->fp64;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  limits->fp64 = FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    if (cases[i].form <= ms_fixture_form() && ms_fixture_has_vectors(context, cases[i].kernel))
      compare(filter, cases[i].no_data ? map : scene, &cases[i]);
  limits->fp64 = fp64;
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/words/kernels", test_kernels);
  return g_test_run();
}
