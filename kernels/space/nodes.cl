/* SPDX-License-Identifier: MIT */
/* Colours by the tables of a profile, in integers, as core/filter/space/space.c. */

static inline int
shift_rounded(const int value, const int bits)
{
  return (value + (1 << (bits - 1))) >> bits;
}

/*
 * Interpolates between the eight nodes around @place, which are 5 values apart, with 125 as the sum of their weights,
 * and 4 as the unit of their numbers. Past the last node none has any weight. Oclgrind has min() of two vectors only.
 */
static inline int3
between_nodes(__global const int *nodes, const int3 place)
{
  const int3 near = place / 5, after = place % 5, before = 5 - after,
             next = min(near + 1, (int3)(NODE_SIDE - 1));
  int3 sum = 0;

  for (int corner = 0; corner < 8; corner++) {
    const bool x = (corner & 1) != 0, y = (corner & 2) != 0, z = (corner & 4) != 0;
    const int weight = (x ? after.x : before.x) * (y ? after.y : before.y) * (z ? after.z : before.z);
    const int row = (x ? next.x : near.x) * NODE_SIDE + (y ? next.y : near.y);
    const int node = nodes[row * NODE_SIDE + (z ? next.z : near.z)];

    sum += weight * (int3)(node >> 20 & 1023, node >> 10 & 1023, node & 1023);
  }
  return (sum + 250) / 500;
}
