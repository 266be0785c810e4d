/* SPDX-License-Identifier: MIT */
/* Any bytes as a colour profile: what it converts stays in range and keeps alpha, and is the same each time. */
#include <math.h>
#include <string.h>

#include "core/filter/space/space.h"
#include "core/image/colour/colour.h"
#include "core/image/metadata/metadata.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/profiles.h"

#define N_PIXELS 64

static void
fill(guint8 pixels[4 * N_PIXELS])
{
  for (guint i = 0; i < 4 * N_PIXELS; i++)
    pixels[i] = (guint8)(i * 37 + i / 7);
}

static void
convert(GBytes *profile, MsColourPixels kind)
{
  g_autoptr(MsColour) colour = ms_colour_new(profile, kind, NULL);
  guint8 pixels[4 * N_PIXELS], once[4 * N_PIXELS], twice[4 * N_PIXELS];

  if (!colour)
    return;
  fill(pixels);
  memcpy(once, pixels, sizeof once);
  memcpy(twice, pixels, sizeof twice);
  ms_colour_convert(colour, once, N_PIXELS);
  ms_colour_convert(colour, twice, N_PIXELS / 2);
  ms_colour_convert(colour, twice + 2 * N_PIXELS, N_PIXELS / 2);
  g_assert_cmpmem(once, sizeof once, twice, sizeof twice);
  for (guint i = 0; kind == MS_COLOUR_RGBA && i < N_PIXELS; i++)
    g_assert_cmpint(once[4 * i + 3], ==, pixels[4 * i + 3]);
}

/* Colours of a profile that is used are converted to a space of the filter, and back. */
static void
convert_space(GBytes *profile)
{
  guint8 pixels[4 * N_PIXELS], converted[4 * N_PIXELS];

  fill(pixels);
  for (MsSpace space = MS_SPACE_LUV; space <= MS_SPACE_LAB; space++) {
    g_autoptr(GBytes) tables = ms_space_tables_get(space, profile);
    ms_space_convert(space, g_bytes_get_data(tables, NULL), pixels, converted, N_PIXELS);
    ms_space_restore(space, g_bytes_get_data(tables, NULL), converted, converted, N_PIXELS);
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GBytes) profile = g_bytes_new(data, size);
  g_autofree char *name = ms_colour_dup_name(profile), *used = ms_space_dup_profile(MS_SPACE_LAB, profile);
  g_autoptr(GBytes) rgb = ms_colour_grey_to_rgb(profile);

  g_assert_true(!name || g_utf8_validate(name, -1, NULL));
  g_assert_true(used && g_utf8_validate(used, -1, NULL));
  g_assert_true(!rgb || ms_icc_is_rgb(rgb));
  for (MsColourPixels kind = MS_COLOUR_RGBA; kind <= MS_COLOUR_CMYK_LIGHT; kind++)
    convert(profile, kind);
  if (ms_space_knows_profile(profile))
    convert_space(profile);
  return 0;
}

/* A profile of tables, and one of a matrix, the same as one of grey and of inks, whose tags then do not fit. */
GPtrArray *
ms_fuzz_seeds(void)
{
  static const char *const spaces[] = {"RGB ", "GRAY", "CMYK"};
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

  g_ptr_array_add(seeds, ms_test_profile_tables(TRUE));
  for (gsize i = 0; i < G_N_ELEMENTS(spaces); i++) {
    g_autoptr(GBytes) wide = ms_test_profile_wide(1.8);
    const gsize size = g_bytes_get_size(wide);
    guint8 *copy = g_memdup2(g_bytes_get_data(wide, NULL), size);
    memcpy(copy + 16, spaces[i], 4);
    /* The curve of red as that of grey. */
    guint8 *curve = i == 1 ? memmem(copy, size, "rTRC", 4) : NULL;
    if (curve)
      memcpy(curve, "kTRC", 4);
    g_ptr_array_add(seeds, g_bytes_new_take(copy, size));
  }
  return seeds;
}
