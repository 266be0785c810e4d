/* SPDX-License-Identifier: MIT */
/*
 * The loops have no branches, so that the compiler vectorises them; the build compiles this file at -O3, and
 * ms_close_rows_next() for several processors. What that calls must be inline, since only its own code is compiled so.
 * Colours, modes and squared distances of colours are integers that floats hold exactly.
 */
#include "core/regions/close-rows.h"

#include <math.h>
#include <string.h>

/* Red, green and blue, and column and row of the mode. */
#define N_PLANES 5

/* A column that no pixel's mode is near to: that of the pixels beside the row and above the first one. */
#define FAR_AWAY -1e9f

/* The largest squared distance of two colours. */
#define LARGEST_DISTANCE (3 * 255 * 255)

/* Links to the four neighbours that come first. */
enum {
  LEFT = 1,
  ABOVE_LEFT = MS_CLOSE_ABOVE_LEFT,
  ABOVE = MS_CLOSE_ABOVE,
  ABOVE_RIGHT = MS_CLOSE_ABOVE_RIGHT,
};

typedef struct {
  const float *values[N_PLANES];
} Row;

/* Elements of a plane or of links: those of a row and one more on each side. */
static gsize
stride_of(const MsCloseRows *self)
{
  return (gsize)self->closeness->width + 2;
}

/** ms_close_rows_bytes: the memory that rows of @width pixels take. */
guint64
ms_close_rows_bytes(int width)
{
  return ((guint64)width + 2) * 2 * (N_PLANES * sizeof(float) + sizeof(guint8)) + (guint64)width;
}

/* The first pixel of the newest row, or of the one before; they take turns in the halves of the memory. */
static float *
plane_of(const MsCloseRows *self, int is_above, int plane)
{
  return self->planes + (gsize)((is_above ^ self->half) * N_PLANES + plane) * stride_of(self) + 1;
}

static guint8 *
links_of(const MsCloseRows *self, int is_above)
{
  return self->links + (is_above ^ self->half) * stride_of(self) + 1;
}

static Row
row_of(const MsCloseRows *self, int is_above)
{
  Row row;

  for (int i = 0; i < N_PLANES; i++)
    row.values[i] = plane_of(self, is_above, i);
  return row;
}

/** ms_close_rows_init: begins before a first row, which has no row above. */
void
ms_close_rows_init(MsCloseRows *self, const MsCloseness *closeness)
{
  *self = (MsCloseRows){.closeness = closeness};
  const gsize stride = stride_of(self), n = 2 * N_PLANES * stride;

  self->planes = g_new(float, n);
  for (gsize i = 0; i < n; i++)
    self->planes[i] = FAR_AWAY;
  self->links = g_new0(guint8, 2 * stride);
  self->flags = g_new(guint8, (gsize)closeness->width);
}

void
ms_close_rows_clear(MsCloseRows *self)
{
  g_free(self->planes);
  g_free(self->links);
  g_free(self->flags);
}

/* Writes the numbers of @mask's bits from bit @shift on in the 32-bit words of a row. */
static inline __attribute__((always_inline)) void
load_plane(const guint8 *restrict words, guint shift, guint32 mask, float *restrict plane, int width)
{
  for (int x = 0; x < width; x++) {
    guint32 word;
    memcpy(&word, words + 4 * (gsize)x, sizeof word);
    plane[x] = (float)(int)(word >> shift & mask);
  }
}

/* Which of a mode's numbers is the column does not matter. */
static inline __attribute__((always_inline)) void
load_row(MsCloseRows *self, int y)
{
  const MsCloseness *closeness = self->closeness;
  const gsize at = 4 * (gsize)y * closeness->width;

  for (int i = 0; i < 3; i++)
    load_plane(closeness->colours + at, G_BYTE_ORDER == G_LITTLE_ENDIAN ? 8 * i : 24 - 8 * i, 0xff,
               plane_of(self, 0, i), closeness->width);
  for (int i = 0; i < 2; i++)
    load_plane((const guint8 *)closeness->modes + at, 16 * i, 0xffff, plane_of(self, 0, 3 + i), closeness->width);
}

/* Adds @link to the pixels of the newest row that are close to those of @other, @step columns to the right. */
static inline __attribute__((always_inline)) void
add_links(MsCloseRows *self, Row other, int step, guint8 link)
{
  const Row row = row_of(self, 0);
  const float *r = row.values[0], *g = row.values[1], *b = row.values[2], *x = row.values[3], *y = row.values[4];
  const float *r1 = other.values[0] + step, *g1 = other.values[1] + step, *b1 = other.values[2] + step,
              *x1 = other.values[3] + step, *y1 = other.values[4] + step;
  const MsLabelRule rule = self->closeness->rule;
  const float spatial = (float)rule.spatial, range = (float)MIN(rule.squared_range, LARGEST_DISTANCE);
  const int width = self->closeness->width;
  guint8 *links = links_of(self, 0);

  for (int i = 0; i < width; i++) {
    const float d0 = r[i] - r1[i], d1 = g[i] - g1[i], d2 = b[i] - b1[i];
    const int is_close =
      (d0 * d0 + d1 * d1 + d2 * d2 <= range) & (fabsf(x[i] - x1[i]) <= spatial) & (fabsf(y[i] - y1[i]) <= spatial);
    links[i] |= (guint8)(is_close ? link : 0);
  }
}

/* 1 where @links has @link, else 0. */
#define BIT(links, link) ((guint8)((links) / (link)&1))

/*
 * Leaves out links to the row above between pixels that others join anyway: neighbours of one row are joined by links
 * to the left, and so are the pixels above them.
 */
static inline __attribute__((always_inline)) void
write_flags(MsCloseRows *self)
{
  const guint8 *links = links_of(self, 0), *above = links_of(self, 1);
  const int width = self->closeness->width;
  guint8 *restrict flags = self->flags;

  for (int i = 0; i < width; i++) {
    const guint8 left = links[i] & LEFT, left_above = above[i] & LEFT, right = links[i + 1] & LEFT,
                 right_above = above[i + 1] & LEFT;
    const guint8 up = BIT(links[i], ABOVE), up_before = BIT(links[i - 1], ABOVE), up_after = BIT(links[i + 1], ABOVE);
    const guint8 joined =
      (guint8)((((up_before & left) | (up & left_above)) * ABOVE_LEFT) | ((up_before & left & left_above) * ABOVE) |
               (((up_after & right) | (up & right_above)) * ABOVE_RIGHT));
    flags[i] = (guint8)((links[i] & ~(joined | LEFT)) | (left ? 0 : MS_CLOSE_BEGINS));
  }
}

/** ms_close_rows_next: reads row @y, which comes after the one read before. */
FOR_SEVERAL_PROCESSORS void
ms_close_rows_next(MsCloseRows *self, int y)
{
  self->half ^= 1;
  load_row(self, y);
  memset(links_of(self, 0), 0, (gsize)self->closeness->width);
  const Row above = row_of(self, 1);
  add_links(self, row_of(self, 0), -1, LEFT);
  add_links(self, above, -1, ABOVE_LEFT);
  add_links(self, above, 0, ABOVE);
  add_links(self, above, 1, ABOVE_RIGHT);
  write_flags(self);
}
