/* SPDX-License-Identifier: MIT */
/* Joins the pixels of a tile, which no other work-item reads. Twin of tiles-lanes.cl. */
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
