/* SPDX-License-Identifier: MIT */
/*
 * A work-item filters a tile. The first iteration computes neighbouring pixels together, one lane for each; later
 * windows lie anywhere and are read in whole vectors, one lane for each column, eight windows at a time, so that the
 * same shuffles sum the lanes of all. Converged pixels leave the list.
 */
#define DRIFT 8192 /* farther than 100 steps of 64 lead */
#define EIGHT ((int8)(0, 1, 2, 3, 4, 5, 6, 7))

/*
 * waiting: the pixels that have not converged; the low word has their position from the tile's origin, x below y, the
 * high word their colour below their number. The origin lies DRIFT before the tile, so that positions are never
 * negative.
 */
typedef struct {
  int x;
  int y;
  int count;
  ulong waiting[TILE_PIXELS + 8];
  alike_t alike;
  uint colours[TILE_PIXELS] __attribute__((aligned(64)));
  uint places[HAS_MODES ? TILE_PIXELS : 1]; /* as in waiting */
} tile_t;

/* Stores the colour of a pixel, and keeps it in the list or merges it where `keep` is -1 and not 0. */
static inline void
keep_one(tile_t *tile, const ulong entry, const int keep)
{
  const int count = tile->count;
  const int index = find_alike(&tile->alike, tile->waiting, count, entry);
  const int alone = -(index == count);

  tile->colours[entry >> 56] = (uint)(entry >> 32);
  if (HAS_MODES)
    tile->places[entry >> 56] = (uint)entry;
  tile->waiting[count] = entry;
  join_alike(&tile->alike, entry, tile->waiting[index], keep & ~alone);
  tile->count -= keep & alone;
}

/* Stores the colours of eight pixels and keeps those that have not converged. */
static inline void
keep_eight(tile_t *tile, const places_t *places, const uint8 numbers, const int8 go_on)
{
  ulong entries[8] __attribute__((aligned(64)));
  int keep[8] __attribute__((aligned(64)));
  const uint8 place = as_uint8((places->x - tile->x) | (places->y - tile->y) << 16);
  const uint8 colour = as_uint8(places->colour) | numbers << 24;

  *(ulong8 *)entries = convert_ulong8(place) | convert_ulong8(colour) << 32;
  *(int8 *)keep = go_on;
  for (int i = 0; i < 8; i++)
    keep_one(tile, entries[i], keep[i]);
}

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
  const wide_t colours = widen(c.c0) | widen(c.c1) << 8 | widen(c.c2) << 16;
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

static inline void
sum_eight(totals_t *t, const picture_t *picture, const places_t *places, const int8 top)
{
  int columns[8] __attribute__((aligned(64))), tops[8] __attribute__((aligned(64)));
  int rows[8] __attribute__((aligned(64))), colours[8] __attribute__((aligned(64)));
  int lefts[8] __attribute__((aligned(64))), rights[8] __attribute__((aligned(64)));
  windows_t windows;

  *(int8 *)columns = stored_columns(places->x, picture->reach, picture->width);
  *(int8 *)tops = top;
  *(int8 *)rows = last_rows(places->y, picture->reach, picture->height) - top + 1;
  *(int8 *)lefts = first_columns(places->x, picture->reach);
  *(int8 *)rights = last_columns(places->x, picture->reach, picture->width);
  *(int8 *)colours = places->colour;
  for (int j = 0; j < 8; j++) {
    const colour_t c = {(lanes_t)(ushort)(colours[j] & 255), (lanes_t)(ushort)(colours[j] >> 8 & 255),
                        (lanes_t)(ushort)(colours[j] >> 16)};
    add_window(&windows, j, picture, columns[j], tops[j], rows[j], lefts[j], rights[j], &c);
  }
  add_up(t, &windows);
}

/*
 * One more iteration of every pixel in the list; the last eight are completed with copies whose results are discarded.
 */
static inline void
next_step(tile_t *tile, const picture_t *picture, const int epsilon)
{
  const int count = tile->count;

  tile->count = 0;
  for (int i = count; i % 8 != 0; i++)
    tile->waiting[i] = tile->waiting[count - 1];
  for (int i = 0; i < count; i += 8) {
    const ulong8 entries = vload8(0, tile->waiting + i);
    const uint8 place = convert_uint8(entries), colour = convert_uint8(entries >> 32);
    places_t places = {as_int8(place & 0xffffu) + tile->x, as_int8(place >> 16) + tile->y,
                       as_int8(colour & 0xffffffu)};
    const int8 left = places.x - picture->reach.radius, top = first_rows(places.y, picture->reach);
    totals_t t;

    sum_eight(&t, picture, &places, top);
    const int8 go_on = step_eight(&places, &t, left, top, epsilon);

    keep_eight(tile, &places, colour >> 24, go_on & (i + EIGHT < count));
  }
}

/* From so many pixels of the mask among LANES neighbours on, the first step in lanes costs less than each by itself. */
#define MANY (LANES / 2)

/* The first step of the tile's pixels that have few neighbours in the mask; tile: (left, top, right, bottom). */
static inline void
start_few(tile_t *tile, const picture_t *picture, const marks_t marks, const int4 limits, const int epsilon)
{
  for (int y = limits.y; y < limits.w; y++)
    for (int x = limits.x; x < limits.z; x += LANES) {
      const int count = count_marked(marks, x, y, LANES), end = min(x + LANES, limits.z);

      for (int i = x; i < end && count > 0 && count < MANY; i++)
        if (is_marked(marks, i, y)) {
          __global const ushort *at = row_of(picture, y) + i;
          const uint number = (uint)((y - limits.y) * TILE_WIDTH + i - limits.x);
          const uint colour = at[0] | (uint)at[picture->pitch] << 8 | (uint)at[2 * picture->pitch] << 16;
          const uint place = (uint)(i - tile->x) | (uint)(y - tile->y) << 16;

          tile->waiting[tile->count++] = (ulong)place | (ulong)(colour | number << 24) << 32;
        }
    }
  if (tile->count > 0)
    next_step(tile, picture, epsilon);
}

__kernel void
mean_shift_rows(__global const uint *source, __global uint *result, __global const ushort *planes,
                const int4 image, const int4 region, const int4 band, const int4 filter, const float sp
                MARKS_PARAM MODES_PARAM)
{
  const int left = band.x + (int)get_global_id(0) * TILE_WIDTH,
            top = band.y + (int)get_global_id(1) * TILE_HEIGHT;
  const int right = min(left + TILE_WIDTH, band.x + band.z), bottom = min(top + TILE_HEIGHT, band.y + band.w);
  const picture_t picture = {planes + margin_of(filter.x),
                             pitch_of(image.x, filter.x),
                             image.x,
                             image.y,
                             image.z,
                             {filter.x, sp},
                             limit_of(filter.y)};
  const marks_t marks = MARKS_OF(image);
  tile_t tile;

  tile.x = left - DRIFT;
  tile.y = top - DRIFT;
  tile.count = 0;
  tile.waiting[0] = 0;
  forget_all(&tile.alike);
  if (HAS_MARKS)
    start_few(&tile, &picture, marks, (int4)(left, top, right, bottom), filter.w);
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x += LANES) {
      const int number = (y - top) * TILE_WIDTH + x - left;
      if (count_marked(marks, x, y, LANES) < MANY)
        continue;
      if (windows_leave(x, filter.x, image.x))
        first_step(&tile, &picture, marks, x, y, right, true, number, filter.w);
      else
        first_step(&tile, &picture, marks, x, y, right, false, number, filter.w);
    }
  for (int i = 1; i < filter.z && tile.count > 0; i++)
    next_step(&tile, &picture, filter.w);
  take_colours(&tile.alike, tile.colours);
  if (HAS_MODES)
    take_colours(&tile.alike, tile.places);
  for (int y = top; y < bottom; y++) {
    __global const uint *from = source + (size_t)(y - image.z) * (size_t)image.x;
    __global uint *to = result + (size_t)(y - region.y) * (size_t)region.z - region.x;
    for (int x = left; x < right; x++)
      if (is_marked(marks, x, y)) {
        STORE_MODE((size_t)(to + x - result), (int)(tile.places[(y - top) * TILE_WIDTH + x - left] & 0xffffu) + tile.x,
                   (int)(tile.places[(y - top) * TILE_WIDTH + x - left] >> 16) + tile.y);
        to[x] = (tile.colours[(y - top) * TILE_WIDTH + x - left] & 0xffffffu) | (from[x] & 0xff000000u);
      }
  }
}
