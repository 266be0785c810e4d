/* SPDX-License-Identifier: MIT */
/*
 * The pixels of a tile that have not converged, and one iteration of all of them. Their windows are independent and are
 * summed eight at a time, so that the same shuffles sum the lanes of all. Converged pixels leave the list.
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
  merged_t merged;
  memo_t memo;
  uint colours[TILE_PIXELS] __attribute__((aligned(64)));
  uint places[HAS_MODES ? TILE_PIXELS : 1]; /* as in waiting */
} tile_t;

/* Stores the colour of a pixel, and keeps it in the list or merges it where `keep` is -1 and not 0. */
static inline void
keep_one(tile_t *tile, const ulong entry, const int keep)
{
  const int count = tile->count;
  const int index = find_same_state(&tile->merged, tile->waiting, count, entry);
  const int alone = -(index == count);

  tile->colours[entry >> 56] = (uint)(entry >> 32);
  if (HAS_MODES)
    tile->places[entry >> 56] = (uint)entry;
  tile->waiting[count] = entry;
  merge_into(&tile->merged, entry, tile->waiting[index], keep & ~alone);
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

static inline void
sum_eight(totals_t *t, memo_t *memo, const picture_t *picture, const places_t *places, const int8 top)
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
    add_window_by_memo(memo, &windows, j, picture, columns[j], tops[j], rows[j], lefts[j], rights[j],
                     (uint)colours[j]);
  }
  add_up(t, &windows);
  complete_windows(memo, t, *(int8 *)columns, top);
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

    sum_eight(&t, &tile->memo, picture, &places, top);
    const int8 go_on = step_eight(&places, &t, left, top, epsilon);

    keep_eight(tile, &places, colour >> 24, go_on & (i + EIGHT < count));
  }
}
