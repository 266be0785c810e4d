/* SPDX-License-Identifier: MIT */
/*
 * The first iteration computes neighbouring pixels together, one lane for each; their windows overlap almost wholly.
 */

/* `number` is that of the pixel at x; pixels from `end` on are not the tile's. */
static inline void
first_step(tile_t *tile, const picture_t *picture, const marks_t marks, const int x, const int y, const int end,
           const bool leave, const int number, const int epsilon)
{
  const int top = first_rows((int8)y, picture->reach).s0;
  const int bottom = last_rows((int8)y, picture->reach, picture->height).s0;
  wide_totals_t wide = {0, 0, 0, 0, 0, 0};
  colour_t c;

  load_samples(&c, row_of(picture, y) + x, picture->pitch);
  add_neighbours(&wide, picture, x, top, bottom, leave, &c);
  const wide_t colours = pixels_of(&c);
  for (int j = 0; j < LANES / 8; j++) {
    const totals_t t = {((const int8 *)&wide.n)[j],  ((const int8 *)&wide.sx)[j],
                        ((const int8 *)&wide.sy)[j], ((const int8 *)&wide.s0)[j],
                        ((const int8 *)&wide.s1)[j], ((const int8 *)&wide.s2)[j]};
    places_t places = {x + 8 * j + EIGHT, y, ((const int8 *)&colours)[j]};
    const int8 inside = (places.x < end) & marked_eight(marks, x + 8 * j, y);
    const int8 go_on = step_eight(&places, &t, places.x - picture->reach.radius, top, epsilon);

    keep_eight(tile, &places, as_uint8(number + 8 * j + EIGHT), go_on & inside);
  }
}

/* With at least this many marked pixels among LANES neighbours, a step in lanes costs less than separate steps. */
#define MANY (LANES / 2)

/* The first step of the tile's pixels with few marked neighbours; tile: (left, top, right, bottom). */
static inline void
start_few(tile_t *tile, const picture_t *picture, const marks_t marks, const int4 limits, const int epsilon)
{
  for (int y = limits.y; y < limits.w; y++)
    for (int x = limits.x; x < limits.z; x += LANES) {
      const int count = count_marked(marks, x, y, LANES), end = min(x + LANES, limits.z);

      for (int i = x; i < end && count > 0 && count < MANY; i++)
        if (is_marked(marks, i, y)) {
          const uint number = (uint)((y - limits.y) * TILE_WIDTH + i - limits.x);
          const uint colour = load_pixel(row_of(picture, y) + i, picture->pitch);
          const uint place = (uint)(i - tile->x) | (uint)(y - tile->y) << 16;

          tile->waiting[tile->count++] = (ulong)place | (ulong)(colour | number << 24) << 32;
        }
    }
  if (tile->count > 0)
    next_step(tile, picture, epsilon);
}

/* limits: (left, top, right, bottom) of the tile. */
static inline void
start_tile(tile_t *tile, const picture_t *picture, __global const uint *source, const marks_t marks, const int4 limits,
           const int epsilon)
{
  if (HAS_MARKS)
    start_few(tile, picture, marks, limits, epsilon);
  for (int y = limits.y; y < limits.w; y++)
    for (int x = limits.x; x < limits.z; x += LANES) {
      const int number = (y - limits.y) * TILE_WIDTH + x - limits.x;

      if (count_marked(marks, x, y, LANES) < MANY)
        continue;
      if (windows_leave(x, picture->reach.radius, picture->width))
        first_step(tile, picture, marks, x, y, limits.z, true, number, epsilon);
      else
        first_step(tile, picture, marks, x, y, limits.z, false, number, epsilon);
    }
}
