/* SPDX-License-Identifier: MIT */
/* The colour spaces of the filter, by the profiles of pictures, beside Little CMS. */
#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

#include "core/filter/space/space.h"
#include "core/image/colour/colour.h"
#include "tests/support/profiles.h"

/* The 8-bit L*a*b* of a profile are those of Little CMS, and lead back to the colours, as far as 8 bits go. */
static void
test_by_matrix(void)
{
  const gsize n = 4096;
  g_autoptr(GBytes) wide = ms_test_profile_wide(1.8);
  g_autoptr(GBytes) tables = ms_space_tables_get(MS_SPACE_LAB, wide), usual = ms_space_tables_get(MS_SPACE_LAB, NULL);
  g_autofree guint8 *colours = g_malloc(n * 4), *lab = g_malloc(n * 4), *again = g_malloc(n * 4);
  cmsHPROFILE from = cmsOpenProfileFromMem(g_bytes_get_data(wide, NULL), (cmsUInt32Number)g_bytes_get_size(wide));
  cmsHPROFILE to = cmsCreateLab4Profile(NULL);
  cmsHTRANSFORM transform = cmsCreateTransform(from, TYPE_RGBA_8, to, TYPE_Lab_DBL, INTENT_RELATIVE_COLORIMETRIC, 0);
  double sum = 0;

  g_assert_true(ms_space_knows_profile(wide));
  g_assert_false(g_bytes_equal(usual, tables));
  for (guint i = 0; i < n; i++)
    memcpy(colours + 4 * i, (guint8[]){(i & 15) * 17, (i >> 4 & 15) * 17, (i >> 8) * 17, 255}, 4);
  ms_space_convert(MS_SPACE_LAB, g_bytes_get_data(tables, NULL), colours, lab, n);
  for (gsize i = 0; i < n; i++) {
    cmsCIELab expected;
    cmsDoTransform(transform, colours + 4 * i, &expected, 1);
    g_assert_cmpfloat_with_epsilon(lab[4 * i + 2], expected.L * 2.55, 1.5);
    g_assert_cmpfloat_with_epsilon(lab[4 * i + 1], CLAMP(expected.a + 128, 0, 255), 2);
    g_assert_cmpfloat_with_epsilon(lab[4 * i], CLAMP(expected.b + 128, 0, 255), 2);
  }
  for (MsSpace space = MS_SPACE_LUV; space <= MS_SPACE_LAB; space++, sum = 0) {
    ms_space_convert(space, g_bytes_get_data(tables, NULL), colours, again, n);
    ms_space_restore(space, g_bytes_get_data(tables, NULL), again, again, n);
    for (gsize i = 0; i < n * 4; i++)
      sum += abs(again[i] - colours[i]);
    g_assert_cmpfloat(sum / (n * 3), <, 4);
  }
  cmsDeleteTransform(transform);
  cmsCloseProfile(from);
  cmsCloseProfile(to);
}

/*
 * A profile of tables converts as Little CMS does, and back; one whose tables do not lead back is not used. Colours of
 * the other half of the space, which no colour of the profile has, lead into it.
 */
static void
test_by_tables(void)
{
  const gsize n = 4096;
  g_autoptr(GBytes) icc = ms_test_profile_tables(TRUE), bad = ms_test_profile_tables(FALSE);
  g_autoptr(GBytes) tables = ms_space_tables_get(MS_SPACE_LAB, icc), usual = ms_space_tables_get(MS_SPACE_LAB, bad);
  g_autoptr(GBytes) srgb = ms_space_tables_get(MS_SPACE_LAB, NULL);
  g_autofree guint8 *colours = g_malloc(n * 4), *lab = g_malloc(n * 4), *again = g_malloc(n * 4);
  cmsHPROFILE from = cmsOpenProfileFromMem(g_bytes_get_data(icc, NULL), (cmsUInt32Number)g_bytes_get_size(icc));
  cmsHPROFILE to = cmsCreateLab4Profile(NULL);
  cmsHTRANSFORM transform = cmsCreateTransform(from, TYPE_RGBA_8, to, TYPE_Lab_DBL, INTENT_RELATIVE_COLORIMETRIC, 0);

  g_assert_true(ms_space_knows_profile(icc));
  g_assert_false(ms_space_knows_profile(bad));
  g_assert_false(ms_colour_is_srgb(icc));
  g_assert_true(usual == srgb);
  for (guint i = 0; i < n; i++)
    memcpy(colours + 4 * i, (guint8[]){(i & 15) * 17, (i >> 4 & 15) * 17, (i >> 8) * 17, 255}, 4);
  ms_space_convert(MS_SPACE_LAB, g_bytes_get_data(tables, NULL), colours, lab, n);
  for (gsize i = 0; i < n; i++) {
    cmsCIELab expected;
    cmsDoTransform(transform, colours + 4 * i, &expected, 1);
    g_assert_cmpfloat_with_epsilon(lab[4 * i + 2], expected.L * 2.55, 1);
    g_assert_cmpfloat_with_epsilon(lab[4 * i + 1], CLAMP(expected.a + 128, 0, 255), 1);
    g_assert_cmpfloat_with_epsilon(lab[4 * i], CLAMP(expected.b + 128, 0, 255), 1);
  }
  for (MsSpace space = MS_SPACE_LUV; space <= MS_SPACE_LAB; space++) {
    g_autoptr(GBytes) own = ms_space_tables_get(space, icc);
    double sum = 0;
    ms_space_convert(space, g_bytes_get_data(own, NULL), colours, again, n);
    ms_space_restore(space, g_bytes_get_data(own, NULL), again, again, n);
    for (gsize i = 0; i < n * 4; i++)
      sum += abs(again[i] - colours[i]);
    g_test_message("space %d: %.2f levels", (int)space, sum / (n * 3));
    g_assert_cmpfloat(sum / (n * 3), <, 2);
  }
  cmsDeleteTransform(transform);
  cmsCloseProfile(from);
  cmsCloseProfile(to);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/colour-spaces/by-matrix", test_by_matrix);
  g_test_add_func("/colour-spaces/by-tables", test_by_tables);
  return g_test_run();
}
