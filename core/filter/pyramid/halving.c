/* SPDX-License-Identifier: MIT */
#include "core/filter/pyramid/halving.h"

#include <string.h>

/* Rows of the picture that a row of the next level is made from. */
#define ROWS 5

/* added: rows of the picture; made: rows of the next level; recent: row y of the picture at y % ROWS */
struct _MsHalving {
  MsPyramidSize size;
  guint8 *coarse;
  int added;
  int made;
  guint8 *recent;
};

/**
 * ms_halving_new:
 * @size: of the picture
 * @coarse: (out caller-allocates): pixels of the next level; complete after the last row, and must live until then
 *
 * Returns: (transfer full): a picture without rows yet
 */
MsHalving *
ms_halving_new(MsPyramidSize size, guint8 *coarse)
{
  MsHalving *self = g_new0(MsHalving, 1);

  self->size = size;
  self->coarse = coarse;
  self->recent = g_malloc((gsize)size.width * 4 * ROWS);
  return self;
}

static void
make_row(MsHalving *self)
{
  const MsPyramidSize next = ms_pyramid_size(self->size.width, self->size.height, 1);
  const guint8 *rows[ROWS];

  for (int j = 0; j < ROWS; j++) {
    const int y = ms_pyramid_reflect(2 * self->made + j - 2, self->size.height);
    rows[j] = self->recent + (gsize)(y % ROWS) * self->size.width * 4;
  }
  ms_pyramid_halve_row(rows, self->size.width, self->coarse + (gsize)self->made * next.width * 4);
  self->made++;
}

/** ms_halving_add_row: the next row of the picture, four bytes a pixel. */
void
ms_halving_add_row(MsHalving *self, const guint8 *row)
{
  const int rows = ms_pyramid_size(self->size.width, self->size.height, 1).height;
  const gsize bytes = (gsize)self->size.width * 4;

  memcpy(self->recent + (gsize)(self->added % ROWS) * bytes, row, bytes);
  self->added++;
  while (self->made < rows && MIN(2 * self->made + 2, self->size.height - 1) < self->added)
    make_row(self);
}

void
ms_halving_free(MsHalving *self)
{
  g_free(self->recent);
  g_free(self);
}
