/* SPDX-License-Identifier: MIT */
/*
 * Bitonic sort for processors, sixteen pairs of keys at a time; a work-item sorts a block of BLOCK keys. Twin of
 * sort.cl: stage k merges runs of k keys by steps of distance k/2, k/4, …, 1; a run ascends where bit k of the index
 * is clear.
 */
#define LANES 16

/* The lesser of each pair in `low` where the run ascends, else in `high`. */
static void
order_vectors(__global uint *low, __global uint *high, const bool ascending)
{
  const uint16 a = vload16(0, low), b = vload16(0, high);

  vstore16(ascending ? min(a, b) : max(a, b), 0, low);
  vstore16(ascending ? max(a, b) : min(a, b), 0, high);
}

/* A step within a vector: `partners` holds its lanes exchanged; a lane gets the greater key where `upper` is set. */
static uint16
order_lanes(const uint16 keys, const uint16 partners, const int16 upper)
{
  return select(min(keys, partners), max(keys, partners), as_uint16(upper));
}

/* Which lanes get the greater key: in ascending runs those with bit j set in their index; each is all ones or zero. */
static int16
upper_lanes(const uint j, const uint k, const uint first)
{
  const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const int16 descends = k < LANES ? (lane & (int)k) != 0 : (int16)((first & k) != 0 ? -1 : 0);

  return ((lane & (int)j) != 0) ^ descends;
}

/* The steps of stage k from distance `from`, at most 8, inside one vector that begins at place `first`. */
static uint16
lane_steps(uint16 keys, const uint k, const uint from, const uint first)
{
  if (from >= 8)
    keys = order_lanes(keys, keys.s89abcdef01234567, upper_lanes(8, k, first));
  if (from >= 4)
    keys = order_lanes(keys, keys.s45670123cdef89ab, upper_lanes(4, k, first));
  if (from >= 2)
    keys = order_lanes(keys, keys.s23016745ab89efcd, upper_lanes(2, k, first));
  return order_lanes(keys, keys.s1032547698badcfe, upper_lanes(1, k, first));
}

/* The steps of stage k from distance `from` on, over the block of keys that begins at place `first`. */
static void
block_steps(__global uint *keys, const uint first, const uint k, const uint from)
{
  for (uint j = from; j >= LANES; j /= 2)
    for (uint run = 0; run < BLOCK; run += 2 * j) {
      const bool ascending = ((first + run) & k) == 0;
      for (uint i = run; i < run + j; i += LANES)
        order_vectors(keys + first + i, keys + first + i + j, ascending);
    }
  for (uint i = first; i < first + BLOCK; i += LANES)
    vstore16(lane_steps(vload16(0, keys + i), k, 8, i), 0, keys + i);
}

/* All stages up to the block. */
__kernel void
sort_block(__global uint *keys, const uint unused_k, const uint unused_j)
{
  const uint first = (uint)get_global_id(0) * BLOCK;

  for (uint i = first; i < first + BLOCK; i += LANES) {
    uint16 v = vload16(0, keys + i);

    for (uint k = 2; k <= LANES; k *= 2)
      v = lane_steps(v, k, k / 2, i);
    vstore16(v, 0, keys + i);
  }
  for (uint k = 2 * LANES; k <= BLOCK; k *= 2)
    block_steps(keys, first, k, k / 2);
}

/* The steps of stage k that stay inside a block. */
__kernel void
sort_merge(__global uint *keys, const uint k, const uint unused_j)
{
  block_steps(keys, (uint)get_global_id(0) * BLOCK, k, BLOCK / 2);
}

/* One step of stage k at distance j, a block or more. */
__kernel void
sort_step(__global uint *keys, const uint k, const uint j)
{
  const uint pair = (uint)get_global_id(0) * (BLOCK / 2), first = 2 * j * (pair / j) + pair % j;

  for (uint i = first; i < first + BLOCK / 2; i += LANES)
    order_vectors(keys + i, keys + i + j, (first & k) == 0);
}

/* Three steps at distances 4j, 2j and j at once. */
__kernel void
sort_three_steps(__global uint *keys, const uint k, const uint j)
{
  const uint column = (uint)get_global_id(0) * (BLOCK / 8), first = 8 * j * (column / j) + column % j;
  const bool ascending = (first & k) == 0;
  uint16 v[8];

  for (uint at = first; at < first + BLOCK / 8; at += LANES) {
    for (uint i = 0; i < 8; i++)
      v[i] = vload16(0, keys + at + i * j);
    for (uint distance = 4; distance > 0; distance /= 2)
      for (uint pair = 0; pair < 4; pair++) {
        const uint i = 2 * distance * (pair / distance) + pair % distance;
        const uint16 low = min(v[i], v[i + distance]), high = max(v[i], v[i + distance]);

        v[i] = ascending ? low : high;
        v[i + distance] = ascending ? high : low;
      }
    for (uint i = 0; i < 8; i++)
      vstore16(v[i], 0, keys + at + i * j);
  }
}
