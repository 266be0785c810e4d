/* SPDX-License-Identifier: MIT */
/*
 * Replaces regions by those that they have joined, keeps edges that a further round needs, and offers their regions to
 * each other. Edges between two regions are collected first, without a branch, because a processor predicts wrongly
 * which regions have become one. Twin of search-one.cl.
 */
#define BLOCK 256

__kernel void
find_nearest(__global uint2 *edges, __global const uint *joined, __global const ulong *means,
             volatile __global NEAREST *nearest, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);
  uint2 pairs[BLOCK], last = (uint2)(0);
  uint kept = start;

  for (uint i = start; i < end && edges[i].x != edges[i].y;) {
    const uint stop = min(i + BLOCK, end);
    uint n = 0;

    for (; i < stop && edges[i].x != edges[i].y; i++) {
      const uint2 edge = (uint2)(joined[edges[i].x], joined[edges[i].y]);

      pairs[n] = edge;
      n += (uint)(edge.x != edge.y) & (uint)((edge.x != last.x) | (edge.y != last.y));
      last = edge;
    }
    for (uint j = 0; j < n; j++)
      kept = offer_edge(pairs[j], edges, kept, means, nearest);
  }
  if (kept < end)
    edges[kept] = (uint2)(0);
}
