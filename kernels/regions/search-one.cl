/* SPDX-License-Identifier: MIT */
/*
 * Replaces regions by those that they have joined, keeps edges that a further round needs, and offers their regions to
 * each other. Twin of search-blocks.cl.
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
