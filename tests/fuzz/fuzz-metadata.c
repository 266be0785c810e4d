/* SPDX-License-Identifier: MIT */
/* Any bytes as an EXIF block and as a colour profile: what is read is valid, and what is patched is upright. */
#include <string.h>

#include "core/image/metadata/metadata.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GBytes) block = g_bytes_new(data, size);
  guint32 x = 0, y = 0;
  int orientation = 0;

  g_autoptr(GBytes) upright = ms_exif_make_upright(block, &orientation);
  g_assert_cmpint(orientation, >=, 1);
  g_assert_cmpint(orientation, <=, 8);
  g_assert_cmpint(MAX(1, ms_exif_get_orientation(block)), ==, orientation);
  if (upright)
    g_assert_cmpint(ms_exif_get_orientation(upright), <=, 1);
  if (ms_exif_get_resolution(block, &x, &y))
    g_assert_true(x > 0 && y > 0);
  ms_icc_is_rgb(block);
  return 0;
}

GPtrArray *
ms_fuzz_seeds(void)
{
  /* Orientation 6, little-endian and big-endian; the second entry of each is the resolution's unit. */
  static const guint8 little[] = "II*\0\010\0\0\0\2\0\022\1\3\0\1\0\0\0\6\0\0\0\050\1\3\0\1\0\0\0\2\0\0\0\0\0\0";
  static const guint8 big[] = "MM\0*\0\0\0\010\0\2\1\022\0\3\0\0\0\1\0\6\0\0\1\050\0\3\0\0\0\1\0\2\0\0\0\0\0";
  guint8 profile[200] = "";
  GPtrArray *seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

  g_ptr_array_add(seeds, g_bytes_new_static(little, sizeof little));
  g_ptr_array_add(seeds, g_bytes_new_static(big, sizeof big));
  g_ptr_array_add(seeds, ms_exif_new_resolution(3000, 6000));
  memcpy(profile + 16, "RGB ", 4);
  memcpy(profile + 36, "acsp", 4);
  g_ptr_array_add(seeds, g_bytes_new(profile, sizeof profile));
  return seeds;
}
