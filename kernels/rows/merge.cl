/* SPDX-License-Identifier: MIT */
/*
 * Where MERGES is 1, pixels of a tile with the same position and colour after the same number of iterations are merged:
 * one stays in the list, the others follow it. A hash table holds the index in the list at which a state was last
 * found; entries are always checked, so that collisions and outdated entries only miss a merge. The sums of small
 * windows cost less than the search.
 */
#define SLOTS_LOG2 9
#define SLOTS (1 << SLOTS_LOG2)
#define STATE_BITS 0x00fffffffffffffful /* an entry without the pixel's number */

/* followers: pixels that were merged into another, and that pixel, in the order of merging. */
typedef struct {
  ushort slots[MERGES ? SLOTS : 1];
  uchar2 followers[MERGES ? TILE_PIXELS + 1 : 1];
  int n_followers;
} merged_t;

static inline void
forget_merged(merged_t *merged)
{
  if (!MERGES)
    return;
  for (int i = 0; i < SLOTS; i++)
    merged->slots[i] = 0;
  merged->n_followers = 0;
}

/* The index in `waiting` of a pixel with the state of `entry`, or `count`, the place where the entry is added. */
static inline int
find_same_state(merged_t *merged, const ulong *waiting, const int count, const ulong entry)
{
  if (!MERGES)
    return count;

  const ulong state = entry & STATE_BITS;
  const int slot = (int)(state * 0x9e3779b97f4a7c15ul >> (64 - SLOTS_LOG2));
  const int seen = merged->slots[slot];
  const int same = (seen < count) & ((waiting[seen] & STATE_BITS) == state);
  const int found = same ? seen : count;

  merged->slots[slot] = (ushort)found;
  return found;
}

/* Merges the pixel of `entry` into that of `other` where `joins` is -1 and not 0. */
static inline void
merge_into(merged_t *merged, const ulong entry, const ulong other, const int joins)
{
  if (!MERGES)
    return;
  merged->followers[merged->n_followers] = (uchar2)((uchar)(entry >> 56), (uchar)(other >> 56));
  merged->n_followers -= joins;
}

/* Resolves the last merges first, because the pixel that they refer to may have been merged itself. */
static inline void
take_colours(const merged_t *merged, uint *colours)
{
  for (int i = MERGES ? merged->n_followers - 1 : -1; i >= 0; i--)
    colours[merged->followers[i].x] = colours[merged->followers[i].y];
}
