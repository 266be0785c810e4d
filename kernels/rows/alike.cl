/* SPDX-License-Identifier: MIT */
/*
 * Where ALIKE is 1, merges pixels of a tile that have the same position and colour after the same number of iterations:
 * one stays in the list, the others follow it. A hash table holds the index in the list at which a state was last
 * found; entries are always checked, so that collisions and outdated entries only miss a merge. The sums of small
 * windows cost less than the search.
 */
#define SLOTS_LOG2 9
#define SLOTS (1 << SLOTS_LOG2)
#define STATE_BITS 0x00fffffffffffffful /* an entry without the pixel's number */

/* followers: pixels that were merged into another, and that pixel, in the order of merging. */
typedef struct {
  ushort slots[ALIKE ? SLOTS : 1];
  uchar2 followers[ALIKE ? TILE_PIXELS + 1 : 1];
  int n_followers;
} alike_t;

static inline void
forget_all(alike_t *alike)
{
  if (!ALIKE)
    return;
  for (int i = 0; i < SLOTS; i++)
    alike->slots[i] = 0;
  alike->n_followers = 0;
}

/* The index in `waiting` of a pixel with the state of `entry`, or `count`, the place where the entry is added. */
static inline int
find_alike(alike_t *alike, const ulong *waiting, const int count, const ulong entry)
{
  if (!ALIKE)
    return count;

  const ulong state = entry & STATE_BITS;
  const int slot = (int)(state * 0x9e3779b97f4a7c15ul >> (64 - SLOTS_LOG2));
  const int seen = alike->slots[slot];
  const int same = (seen < count) & ((waiting[seen] & STATE_BITS) == state);
  const int found = same ? seen : count;

  alike->slots[slot] = (ushort)found;
  return found;
}

/* Merges the pixel of `entry` into that of `other` where `joins` is -1 and not 0. */
static inline void
join_alike(alike_t *alike, const ulong entry, const ulong other, const int joins)
{
  if (!ALIKE)
    return;
  alike->followers[alike->n_followers] = (uchar2)((uchar)(entry >> 56), (uchar)(other >> 56));
  alike->n_followers -= joins;
}

/* Resolves the last merges first, because the pixel that they refer to may have been merged itself. */
static inline void
take_colours(const alike_t *alike, uint *colours)
{
  for (int i = ALIKE ? alike->n_followers - 1 : -1; i >= 0; i--)
    colours[alike->followers[i].x] = colours[alike->followers[i].y];
}
