/* SPDX-License-Identifier: MIT */
/*
 * Colour spaces: every kernel against the serial reference, in stripes, regions and with levels; tests/app/colours.py
 * compares the conversions of the reference with those of OpenCV.
 */
#include <string.h>

#include "core/filter/plan/plan.h"
#include "core/filter/space/space.h"
#include "tests/support/fixture.h"
#include "tests/support/option-product.h"
#include "tests/support/profiles.h"

static const MsKernel kernels[] = {MS_KERNEL_DIRECT, MS_KERNEL_ROWS, MS_KERNEL_ROWS_WIDE, MS_KERNEL_PACKED};

static const MsSpace spaces[] = {MS_SPACE_LUV, MS_SPACE_LAB};

static MsSettings
settings_for(MsSpace space, double sr)
{
  MsSettings settings = ms_settings_default();

  settings.params.sp = 3;
  settings.params.sr = sr;
  settings.params.space = space;
  return settings;
}

static void
test_kernels(void)
{
  const MsRegion part = {13, 11, 51, 30};
  g_autoptr(MsImage) source = ms_fixture_scene(77, 43, 31);
  MsOptionProduct product;

  if (!ms_option_product_open(&product))
    return;
  MsSettings luv = settings_for(MS_SPACE_LUV, 12), lab = settings_for(MS_SPACE_LAB, 12);
  ms_option_product_compare_kernels(&product, source, &luv, NULL, kernels, G_N_ELEMENTS(kernels));
  lab.params.sp = 4; /* whole at the upper level as well, so that a program does for more */
  lab.params.levels = 1;
  ms_option_product_compare_kernels(&product, source, &lab, &part, kernels, 1);
  g_assert_cmpuint(product.ran, >=, 2);
  ms_option_product_close(&product);
}

/* A colour radius of 0 leaves every converted colour as it is. icc: (nullable) */
static void
check_colours(GBytes *icc)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  const int side = 96;
  const gsize n = (gsize)side * side;
  guint8 *colours = g_malloc(n * 4);
  g_autoptr(GRand) random = g_rand_new_with_seed(32);

  for (gsize i = 0; i < n * 4; i++)
    colours[i] = i < 64 ? (i / 4 >> i % 4 & 1 ? 255 : 0) : (guint8)g_rand_int_range(random, 0, 256);
  g_autoptr(MsMetadata) metadata = ms_metadata_new(icc, NULL, 0, 0);
  g_autoptr(MsImage) source = ms_image_new_take(side, side, colours, metadata);
  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  for (gsize i = 0; i < G_N_ELEMENTS(spaces); i++) {
    const MsSettings settings = settings_for(spaces[i], 0);
    g_autoptr(GBytes) tables = ms_space_tables_of(spaces[i], source);
    g_autofree guint8 *expected = g_malloc(n * 4);
    g_autoptr(GError) error = NULL;
    g_autoptr(MsImage) result = ms_fixture_filter(filter, (MsJob){.source = source, .settings = &settings}, &error);
    g_assert_no_error(error);
    ms_space_convert(spaces[i], g_bytes_get_data(tables, NULL), colours, expected, n);
    ms_space_restore(spaces[i], g_bytes_get_data(tables, NULL), expected, expected, n);
    g_assert_cmpmem(ms_image_get_pixels(result), n * 4, expected, n * 4);
  }
}

static void
test_colours(void)
{
  check_colours(NULL);
}

/* Device and reference convert by the profile of a picture, also where another picture came before. */
static void
test_profile(void)
{
  g_autoptr(GBytes) wide = ms_test_profile_wide(2.2), deep = ms_test_profile_wide(1.5);
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) scene = ms_fixture_scene(61, 40, 35);
  g_autoptr(GBytes) by_tables = ms_test_profile_tables(TRUE);
  GBytes *const profiles[] = {NULL, wide, deep, by_tables, wide};
  const MsSettings settings = settings_for(MS_SPACE_LAB, 20);
  g_autoptr(MsImage) usual = NULL;

  check_colours(wide);
  check_colours(by_tables);
  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  for (gsize i = 0; i < G_N_ELEMENTS(profiles); i++) {
    g_autoptr(MsMetadata) metadata = ms_metadata_new(profiles[i], NULL, 0, 0);
    g_autoptr(MsImage) source = ms_image_new(61, 40, ms_image_get_bytes(scene), metadata);
    g_autoptr(GError) error = NULL;
    g_autoptr(MsImage) expected = ms_fixture_reference(source, &settings.params, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(MsImage) result = ms_fixture_filter(filter, (MsJob){.source = source, .settings = &settings}, &error);
    g_assert_no_error(error);
    ms_fixture_assert_same(expected, result, "with a profile");
    if (i == 0)
      usual = g_object_ref(result);
    else
      g_assert_cmpint(ms_image_compare(result, usual).max_difference, >, 0);
  }
}

/* The picture that regions are divided in is left in the colour space; a small budget cuts it into stripes. */
static void
test_modes_and_stripes(void)
{
  g_autoptr(MsContext) context = ms_fixture_context();
  g_autoptr(MsImage) source = ms_fixture_scene(61, 90, 33);
  MsSettings settings = settings_for(MS_SPACE_LUV, 9);
  const gsize bytes = ms_image_get_byte_size(source);
  g_autofree guint16 *expected = g_malloc(bytes), *modes = g_malloc(bytes);
  g_autoptr(GError) error = NULL;

  if (!context)
    return;
  g_autoptr(MsMeanShift) filter = ms_mean_shift_new(context);
  g_autoptr(MsImage) reference = ms_fixture_reference_modes(source, &settings.params, expected, &error);
  g_assert_no_error(error);
  g_autoptr(MsImage) result = ms_fixture_filter(
    filter, (MsJob){.source = source, .settings = &settings, .wants_modes = TRUE, .modes_into = modes}, &error);
  g_assert_no_error(error);
  ms_fixture_assert_same(reference, result, "with modes");
  g_assert_cmpmem(expected, bytes, modes, bytes);
  g_autoptr(MsImage) whole = ms_fixture_reference(source, &settings.params, NULL, &error);
  /* The budget is that of one kernel; auto would choose another one on other devices. */
  settings.options.kernel = ms_fixture_has_vectors(context, MS_KERNEL_ROWS) ? MS_KERNEL_ROWS : MS_KERNEL_PACKED;
  ms_mean_shift_set_memory_budget(filter, MS_SPACE_TABLES_BYTES + 80000);
  g_autoptr(MsPlan) plan = ms_mean_shift_plan(filter, &(MsJob){.source = source, .settings = &settings}, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->tile_rows, <, 90);
  g_autoptr(MsImage) striped = ms_fixture_filter(filter, (MsJob){.source = source, .plan = plan}, &error);
  ms_fixture_assert_same(whole, striped, "in stripes");
}

static void
test_refusal(void)
{
  const MsDeviceLimits limits = ms_fixture_limits(MS_DEVICE_TYPE_GPU);
  MsSettings settings = settings_for(MS_SPACE_LAB, 20);

  settings.options.memory = MS_MEMORY_IMAGE;
  MsPlanCase request = ms_plan_case(&settings, &limits, 640, 480);
  g_autofree char *reason = ms_plan_case_refusal(&request);
  g_assert_nonnull(reason);
  g_assert_nonnull(strstr(reason, "--space"));
  request.settings.params.space = MS_SPACE_RGB;
  g_assert_null(ms_plan_case_refusal(&request));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/space/kernels", test_kernels);
  g_test_add_func("/space/colours", test_colours);
  g_test_add_func("/space/profile", test_profile);
  g_test_add_func("/space/modes-and-stripes", test_modes_and_stripes);
  g_test_add_func("/space/refusal", test_refusal);
  return g_test_run();
}
