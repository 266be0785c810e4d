/* SPDX-License-Identifier: MIT */
/* Joins the pixels of a tile, which no other work-item reads. Twin of tiles-lanes.cl. */

/* Any work-item may add to any region. */
static inline bool
is_shared(__global const uint *size)
{
  return true;
}

__kernel void
connect_tiles(__global const uchar *links, __global uint *parents, const int4 image, const uint4 work)
{
  const tile_t tile = own_tile(image, work);
  const uint width = (uint)image.x;

  for (int y = tile.top; y < tile.bottom; y++) {
    uint first = 0;

    for (int x = tile.left; x < tile.right; x++) {
      const uint at = (uint)y * width + (uint)x;
      const uchar link = links[at];

      if (x == tile.left || !(link & LEFT)) {
        first = at;
        parents[at] = at;
      }
      if (y > tile.top && link > LEFT) {
        if (link & ABOVE)
          first = join_within(parents, first, at - width);
        if (link & ABOVE_LEFT && x > tile.left)
          first = join_within(parents, first, at - width - 1);
        if (link & ABOVE_RIGHT && x + 1 < tile.right)
          first = join_within(parents, first, at - width + 1);
      }
      parents[at] = first;
    }
  }
}

/*
 * Every member's parent becomes the first of its set. counts[k]: how many sets begin among members k * work.x on;
 * ranks: of first members, which one of these they are, from 1 on. Twin of tiles-lanes.cl: here writing takes longer
 * than deciding.
 */
__kernel void
count_sets(volatile __global uint *parents, __global uint *counts, __global uint *ranks, const int4 image,
           const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);
  uint count = 0;

  if (start >= work.y)
    return;
  for (uint i = start; i < end; i++) {
    const uint parent = parents[i];

    if (parent == i)
      ranks[i] = ++count;
    else
      parents[i] = find_first(parents, parent);
  }
  counts[get_global_id(0)] = count;
}
