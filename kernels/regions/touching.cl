/* SPDX-License-Identifier: MIT */
/* Which labels touch: those of a pixel and of the neighbours before it, and how a work-item writes such pairs. */

/* Pairs that a work-item keeps before it writes them. LANES pixels add up to four each, and a vector four copies. */
#define KEPT 64

typedef struct {
  uint n;
  uint2 pairs[KEPT + 4 * LANES + 4];
} kept_t;

/*
 * To which of the neighbours before it the pixel at row[x] makes a pair. Where a border goes on from the pixel before
 * or above, its pair is that of these pixels: so most pairs are found once or a few times.
 */
static inline uchar
touching_of(__global const uint *row, const int x, const int y, const int4 image)
{
  __global const uint *above = y > 0 ? row - image.x : row;
  const int before = max(x - 1, 0), after = min(x + 1, image.x - 1);
  const uint own = row[x], left = row[before], right = row[after];
  const uint up = above[x], up_left = above[before], up_right = above[after];
  uchar found = 0;

  if (own != left && (y == 0 || own != up || left != up_left))
    found |= LEFT;
  if (own != up && (x == 0 || own != left || up != up_left))
    found |= ABOVE;
  if (own != up_left && own != left && own != up && up_left != left && up_left != up)
    found |= ABOVE_LEFT;
  if (own != up_right && own != right && own != up && up_right != right && up_right != up)
    found |= ABOVE_RIGHT;
  return found;
}

/*
 * Stores to which neighbours the pixels from column x on make pairs; returns how many pixels that are, up to LANES, or
 * 0 where LANES pixels make none.
 */
static inline int
touching_block(__global const uint *row, const int x, const int y, const int right, const int4 image, uchar *found)
{
  if (LANES > 1 && x > 0 && y > 0 && x + LANES < right)
    return touching_lanes(row + x, image.x, found) ? LANES : 0;
  found[0] = touching_of(row, x, y, image);
  return 1;
}

/* The label of the neighbour of @own that a bit of touching_of() names. */
static inline uint
other_of(__global const uint *own, const uchar link, const int width)
{
  __global const uint *above = own - width;

  return *(link == LEFT ? own - 1 : link == ABOVE ? above : link == ABOVE_LEFT ? above - 1 : above + 1);
}

/* Stores the pairs from place @at on, of @space places in all; returns the place after them, stored or not. */
static inline uint
store_pairs(kept_t *kept, __global uint2 *pairs, const uint at, const uint space)
{
  const uint n = kept->n, fit = min(n, space - min(at, space));

  for (uint i = 0; i < fit; i++)
    pairs[at + i] = kept->pairs[i];
  kept->n = 0;
  return at + n;
}

/* Appends the pairs to the list for up to work.w pairs; *n counts those beyond, too. */
static inline void
write_pairs(kept_t *kept, __global uint2 *pairs, volatile __global uint *n, const uint4 work)
{
  if (kept->n > 0)
    store_pairs(kept, pairs, atomic_add(n, kept->n), work.w);
}

static inline uint
hash_of(const uint2 pair)
{
  return pair.x * 0x9e3779b1u + pair.y * 0x85ebca77u;
}
