/* SPDX-License-Identifier: MIT */
/* The colour spaces of the filter, by the profiles of pictures, beside Little CMS. */
#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

#include "core/filter/space/space.h"
#include "core/image/colour/colour.h"
#include "tests/support/cases.h"
#include "tests/support/profiles.h"

/* Colours of the whole cube, four bytes each. */
#define N_COLOURS 4096

static guint8 *
colours_new(void)
{
  guint8 *colours = g_malloc(N_COLOURS * 4);

  for (guint i = 0; i < N_COLOURS; i++)
    memcpy(colours + 4 * i, (guint8[]){(i & 15) * 17, (i >> 4 & 15) * 17, (i >> 8) * 17, 255}, 4);
  return colours;
}

/* The 8-bit L*a*b* of the profile are those of Little CMS, within @light levels of L* and @other of a* and b*. */
static void
assert_lab(GBytes *icc, double light, double other)
{
  g_autoptr(GBytes) tables = ms_space_tables_get(MS_SPACE_LAB, icc);
  g_autofree guint8 *colours = colours_new(), *lab = g_malloc(N_COLOURS * 4);
  cmsHPROFILE from = cmsOpenProfileFromMem(g_bytes_get_data(icc, NULL), (cmsUInt32Number)g_bytes_get_size(icc));
  cmsHPROFILE to = cmsCreateLab4Profile(NULL);
  cmsHTRANSFORM transform = cmsCreateTransform(from, TYPE_RGBA_8, to, TYPE_Lab_DBL, INTENT_RELATIVE_COLORIMETRIC, 0);

  ms_space_convert(MS_SPACE_LAB, g_bytes_get_data(tables, NULL), colours, lab, N_COLOURS);
  for (gsize i = 0; i < N_COLOURS; i++) {
    cmsCIELab expected;
    cmsDoTransform(transform, colours + 4 * i, &expected, 1);
    g_assert_cmpfloat_with_epsilon(lab[4 * i + 2], expected.L * 2.55, light);
    g_assert_cmpfloat_with_epsilon(lab[4 * i + 1], CLAMP(expected.a + 128, 0, 255), other);
    g_assert_cmpfloat_with_epsilon(lab[4 * i], CLAMP(expected.b + 128, 0, 255), other);
  }
  cmsDeleteTransform(transform);
  cmsCloseProfile(from);
  cmsCloseProfile(to);
}

/* Both spaces lead back to the colours, within @most levels in the mean. */
static void
assert_leads_back(GBytes *icc, double most)
{
  g_autofree guint8 *colours = colours_new(), *again = g_malloc(N_COLOURS * 4);

  for (MsSpace space = MS_SPACE_LUV; space <= MS_SPACE_LAB; space++) {
    g_autoptr(GBytes) tables = ms_space_tables_get(space, icc);
    double sum = 0;
    ms_space_convert(space, g_bytes_get_data(tables, NULL), colours, again, N_COLOURS);
    ms_space_restore(space, g_bytes_get_data(tables, NULL), again, again, N_COLOURS);
    for (gsize i = 0; i < N_COLOURS * 4; i++)
      sum += abs(again[i] - colours[i]);
    g_test_message("space %d: %.2f levels", (int)space, sum / (N_COLOURS * 3));
    g_assert_cmpfloat(sum / (N_COLOURS * 3), <, most);
  }
}

/* A profile of a matrix converts as Little CMS does, and back, as far as 8 bits go. */
static void
test_by_matrix(void)
{
  g_autoptr(GBytes) wide = ms_test_profile_wide(1.8);
  g_autoptr(GBytes) tables = ms_space_tables_get(MS_SPACE_LAB, wide), usual = ms_space_tables_get(MS_SPACE_LAB, NULL);

  g_assert_true(ms_space_knows_profile(wide));
  g_assert_false(g_bytes_equal(usual, tables));
  assert_lab(wide, 1.5, 2);
  assert_leads_back(wide, 4);
}

/*
 * A profile of tables converts as Little CMS does, and back; one whose tables do not lead back is not used. Colours of
 * the other half of the space, which no colour of the profile has, lead into it.
 */
static void
test_by_tables(void)
{
  g_autoptr(GBytes) icc = ms_test_profile_tables(TRUE), bad = ms_test_profile_tables(FALSE);
  g_autoptr(GBytes) usual = ms_space_tables_get(MS_SPACE_LAB, bad), srgb = ms_space_tables_get(MS_SPACE_LAB, NULL);

  g_assert_true(ms_space_knows_profile(icc));
  g_assert_false(ms_space_knows_profile(bad));
  g_assert_false(ms_colour_is_srgb(icc));
  g_assert_true(usual == srgb);
  assert_lab(icc, 1, 1);
  assert_leads_back(icc, 2);
}

void
ms_test_colour_spaces(void)
{
  g_test_add_func("/colour-spaces/by-matrix", test_by_matrix);
  g_test_add_func("/colour-spaces/by-tables", test_by_tables);
}
