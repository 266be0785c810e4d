/* SPDX-License-Identifier: MIT */
/* The serial reference on cases small enough for calculation by hand. */
#include "core/filter/reference.h"
#include "tests/support/cases.h"
#include "tests/support/fixture.h"

static MsImage *
grey_row(const guint8 *values, int n)
{
  guint8 *pixels = g_malloc((gsize)n * 4);

  for (int i = 0; i < n; i++) {
    pixels[4 * i] = pixels[4 * i + 1] = pixels[4 * i + 2] = values[i];
    pixels[4 * i + 3] = (guint8)(10 * i);
  }
  return ms_image_new_take(n, 1, pixels, NULL);
}

static void
assert_row(const guint8 *values, const guint8 *expected, int n, MsParams params)
{
  g_autoptr(MsImage) source = grey_row(values, n);
  g_autoptr(GError) error = NULL;
  g_autoptr(MsImage) result = ms_fixture_reference(source, &params, NULL, &error);

  g_assert_no_error(error);
  for (int i = 0; i < n; i++) {
    g_assert_cmpint(ms_image_get_pixels(result)[4 * i], ==, expected[i]);
    g_assert_cmpint(ms_image_get_pixels(result)[4 * i + 3], ==, 10 * i);
  }
}

/*
 * Two pixels, 10 and 13, within the radius: sum 23, n 2, and 23 * 0.5 = 11.5 is a tie that goes to 12; truncated it is
 * 11.
 */
static void
test_rules_round(void)
{
  const guint8 values[] = {10, 13};

  assert_row(values, (const guint8[]){12, 12}, 2, (MsParams){1, 10, 1, 1, MS_RULE_OPENCV});
  assert_row(values, (const guint8[]){11, 11}, 2, (MsParams){1, 10, 1, 1, MS_RULE_TRUNCATE});
  /*
   * The edge repeats in all nine places: 6 * 10 + 3 * 13 = 99 of 9; 99 * (1 / 9f) = 11.000000; 3 * 10 + 6 * 13 = 108:
   * 12.
   */
  assert_row(values, (const guint8[]){11, 12}, 2, (MsParams){1, 10, 1, 1, MS_RULE_REPLICATE});
}

static void
test_radius_is_inclusive(void)
{
  const guint8 values[] = {100, 110};

  /* d2 = 3 * 100 = 300; sr 17.3 gives 299, sr 17.33 gives 300. */
  assert_row(values, (const guint8[]){100, 110}, 2, (MsParams){1, 17.3, 5, 1, MS_RULE_OPENCV});
  assert_row(values, (const guint8[]){105, 105}, 2, (MsParams){1, 17.33, 1, 1, MS_RULE_OPENCV});
}

static void
test_zero_radius_keeps_the_picture(void)
{
  g_autoptr(MsImage) noise = ms_fixture_noise(12, 9, 4);
  MsParams params = {.sp = 3, .sr = 0, .max_iterations = 1, .epsilon = 0, .rule = MS_RULE_OPENCV};
  g_autoptr(MsImage) result = ms_fixture_reference(noise, &params, NULL, NULL);

  ms_fixture_assert_same(noise, result, "sr 0");
}

static void
test_region_is_a_cut(void)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(30, 20, 4);
  MsParams params = ms_settings_default().params;
  const MsRegion region = {4, 7, 11, 5};
  g_autoptr(MsImage) whole = ms_fixture_reference(scene, &params, NULL, NULL);
  g_autoptr(MsImage) part = ms_fixture_reference(scene, &params, &region, NULL);

  for (int y = 0; y < region.height; y++)
    g_assert_cmpmem(ms_image_get_pixels(part) + y * 44, 44, ms_image_get_pixels(whole) + ((y + 7) * 30 + 4) * 4, 44);
}

static void
test_cancelled(void)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(MsImage) scene = ms_fixture_scene(30, 20, 4);
  MsParams params = ms_settings_default().params;
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel(cancellable);
  const MsSettings settings = {.params = params};
  MsJob job = {.source = scene, .settings = &settings, .cancellable = cancellable};
  g_assert_null(ms_reference_run(&job, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Black and white are 442 apart: any larger radius is accepted and includes every colour. */
static void
test_any_larger_colour_radius_takes_all(void)
{
  static const double radii[] = {442, 510, 511, 1000, 46341, 1000000};
  const guint8 values[] = {0, 255, 3};

  for (gsize i = 0; i < G_N_ELEMENTS(radii); i++)
    for (MsRule rule = MS_RULE_OPENCV; rule <= MS_RULE_TRUNCATE; rule++)
      assert_row(values, (const guint8[]){86, 86, 86}, 3, (MsParams){2, radii[i], 1, 1, rule});
}

/* An image that exceeds any memory is an error of the call, not the end of the program. */
static void
test_memory_runs_out(void)
{
  g_autoptr(MsImage) scene = ms_fixture_scene(3, 2, 4);
  MsParams params = ms_settings_default().params;
  const MsRegion region = {0, 0, G_MAXINT, G_MAXINT};
  g_autoptr(GError) error = NULL;

  g_assert_null(ms_fixture_reference(scene, &params, &region, &error));
  g_assert_error(error, MS_ERROR, MS_ERROR_MEMORY);
  g_assert_nonnull(strstr(error->message, "2147483647x2147483647"));
}

void
ms_test_reference(void)
{
  g_test_add_func("/reference/rules-round", test_rules_round);
  g_test_add_func("/reference/radius-is-inclusive", test_radius_is_inclusive);
  g_test_add_func("/reference/zero-radius-keeps-the-picture", test_zero_radius_keeps_the_picture);
  g_test_add_func("/reference/region-is-a-cut", test_region_is_a_cut);
  g_test_add_func("/reference/cancelled", test_cancelled);
  g_test_add_func("/reference/any-larger-colour-radius-takes-all", test_any_larger_colour_radius_takes_all);
  g_test_add_func("/reference/memory-runs-out", test_memory_runs_out);
}
