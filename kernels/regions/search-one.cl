/* SPDX-License-Identifier: MIT */
/* Offers regions that touch to each other, one pixel and one pair at a time. Twin of search-blocks.cl. */

/* Keeps the edges of a pixel with one small region, and offers the regions to each other. */
static inline void
keep_edges(kept_t *kept, __global const uint *at, const uchar links, __global const ulong *means,
           volatile __global NEAREST *nearest, const int4 image)
{
  const uint own = *at;
  const ulong mean = means[own - 1];
  ulong best = NOTHING;

  for (uchar link = LEFT; link <= ABOVE_RIGHT; link <<= 1) {
    if (!(links & link))
      continue;

    const uint other = other_of(at, link, image.x);
    const ulong other_mean = means[other - 1], distance = distance_of(mean, other_mean) << LABEL_BITS;
    if (!((mean | other_mean) & IS_SMALL))
      continue;
    kept->pairs[kept->n++] = (uint2)(own - 1, other - 1);
    best = min(best, distance | other);
    offer(nearest, other - 1, distance | own);
  }
  if (best != NOTHING)
    offer(nearest, own - 1, best);
}

/* Lists the regions that touch, of which one is small, and offers them to each other for the first round. */
__kernel void
list_edges(__global const uint *labels, __global const ulong *means, volatile __global NEAREST *nearest,
           __global uint2 *edges, volatile __global uint *totals, const int4 image, const uint4 work)
{
  const tile_t tile = own_tile(image, work);
  kept_t kept;

  kept.n = 0;
  for (int y = tile.top; y < tile.bottom; y++)
    for (int x = tile.left, n; x < tile.right; x += max(n, 1)) {
      __global const uint *row = labels + (size_t)y * (size_t)image.x;
      uchar found[LANES];

      n = touching_block(row, x, y, tile.right, image, found);
      if (n == 0)
        x += LANES - 1;
      for (int i = 0; i < n; i++)
        if (found[i])
          keep_edges(&kept, row + x + i, found[i], means, nearest, image);
      if (kept.n > KEPT)
        write_pairs(&kept, edges, totals, work);
    }
  write_pairs(&kept, edges, totals, work);
}

/*
 * Stores an edge at @kept and offers its regions to each other, if one of them is small; returns the end of the edges
 * that are stored.
 */
static inline uint
offer_edge(const uint2 edge, __global uint2 *edges, const uint kept, __global const ulong *means,
           volatile __global NEAREST *nearest)
{
  const ulong a = means[edge.x], b = means[edge.y], distance = distance_of(a, b) << LABEL_BITS;

  if (!((a | b) & IS_SMALL))
    return kept;
  edges[kept] = edge;
  offer(nearest, edge.x, distance | (edge.y + 1));
  offer(nearest, edge.y, distance | (edge.x + 1));
  return kept + 1;
}

/*
 * Replaces regions by those that they have joined, keeps edges that a further round needs, and offers their regions to
 * each other.
 */
__kernel void
find_nearest(__global uint2 *edges, __global const uint *joined, __global const ulong *means,
             volatile __global NEAREST *nearest, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);
  uint2 last = (uint2)(0);
  uint kept = start;

  for (uint i = start; i < end && edges[i].x != edges[i].y; i++) {
    const uint2 edge = (uint2)(joined[edges[i].x], joined[edges[i].y]);

    if (edge.x == edge.y || all(edge == last))
      continue;
    last = edge;
    kept = offer_edge(edge, edges, kept, means, nearest);
  }
  if (kept < end)
    edges[kept] = (uint2)(0);
}
