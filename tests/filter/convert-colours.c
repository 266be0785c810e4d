/* SPDX-License-Identifier: MIT */
/* Converts the pixels of standard input, four bytes each: convert-colours luv|lab convert|restore. */
#include <stdio.h>
#include <string.h>

#include "core/filter/space/space.h"

int
main(int argc, char **argv)
{
  guint8 pixels[4096 * 4];
  gsize n;

  if (argc != 3)
    return 2;
  const MsSpace space = strcmp(argv[1], "luv") == 0 ? MS_SPACE_LUV : MS_SPACE_LAB;
  g_autoptr(GBytes) bytes = ms_space_tables_get(space, NULL);
  const gint32 *tables = g_bytes_get_data(bytes, NULL);
  while ((n = fread(pixels, 4, sizeof pixels / 4, stdin)) > 0) {
    if (strcmp(argv[2], "restore") == 0)
      ms_space_restore(space, tables, pixels, pixels, n);
    else
      ms_space_convert(space, tables, pixels, pixels, n);
    if (fwrite(pixels, 4, n, stdout) != n)
      return 1;
  }
  return 0;
}
