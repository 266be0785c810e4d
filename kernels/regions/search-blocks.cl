/* SPDX-License-Identifier: MIT */
/*
 * Offers regions that touch to each other, by blocks of pairs and vectors of four, almost without branches, because a
 * processor predicts wrongly which regions are one or near. Twin of search-one.cl.
 */

/* Four pairs at any address. */
typedef struct __attribute__((packed)) {
  uint8 pairs;
} four_t;

/* The differences of the 16 bits from @bit on. */
static inline long4
differences(const ulong4 a, const ulong4 b, const ulong bit)
{
  return as_long4(a >> bit & 0xffff) - as_long4(b >> bit & 0xffff);
}

static inline ulong4
means_of(__global const ulong *means, const uint4 regions)
{
  return (ulong4)(means[regions.s0], means[regions.s1], means[regions.s2], means[regions.s3]);
}

static inline void
offer_both(volatile __global NEAREST *nearest, const bool alone, const uint x, const ulong to_x, const uint y,
           const ulong to_y)
{
  if (alone) {
    offer_alone(nearest, x, to_x);
    offer_alone(nearest, y, to_y);
  } else {
    offer(nearest, x, to_x);
    offer(nearest, y, to_y);
  }
}

/* Offers the regions x, whose means are a, and the regions y to each other; alone: whether no other work-item does. */
static inline void
offer_four(volatile __global NEAREST *nearest, const bool alone, const uint4 x, const uint4 y, const ulong4 a,
           const ulong4 b)
{
  const long4 d0 = differences(a, b, 0), d1 = differences(a, b, 16), d2 = differences(a, b, 32);
  const ulong4 distance = as_ulong4(d0 * d0 + d1 * d1 + d2 * d2) << (ulong)LABEL_BITS;
  const ulong4 to_x = distance | convert_ulong4(y + 1), to_y = distance | convert_ulong4(x + 1);

  if (alone) {
    offer_both(nearest, true, x.s0, to_x.s0, y.s0, to_y.s0);
    offer_both(nearest, true, x.s1, to_x.s1, y.s1, to_y.s1);
    offer_both(nearest, true, x.s2, to_x.s2, y.s2, to_y.s2);
    offer_both(nearest, true, x.s3, to_x.s3, y.s3, to_y.s3);
  } else {
    offer_both(nearest, false, x.s0, to_x.s0, y.s0, to_y.s0);
    offer_both(nearest, false, x.s1, to_x.s1, y.s1, to_y.s1);
    offer_both(nearest, false, x.s2, to_x.s2, y.s2, to_y.s2);
    offer_both(nearest, false, x.s3, to_x.s3, y.s3, to_y.s3);
  }
}

/*
 * Offers the regions of each pair to each other, and removes the pairs without a small region. An offer to a large
 * region changes nothing, because its number is 0. So only small regions that are shared need atomic operations.
 */
static inline void
offer_kept(kept_t *kept, __global const ulong *means, volatile __global NEAREST *nearest)
{
  const uint n = kept->n;
  uint2 *pairs = kept->pairs;

  kept->n = 0;
  /* The last vector is filled with copies of the last pair. */
  for (uint k = 0; k < 4 && n > 0; k++)
    pairs[n + k] = pairs[n - 1];
  for (uint i = 0; i < n; i += 4) {
    const uint8 four = ((const four_t *)(pairs + i))->pairs;
    const uint4 x = four.even, y = four.odd;
    const ulong4 a = means_of(means, x), b = means_of(means, y);
    const uint4 is_small = convert_uint4((a | b) >> (ulong)48) & 1;
    const ulong2 flags = (a | b).lo | (a | b).hi;

    offer_four(nearest, !((flags.x | flags.y) & IS_SHARED), x, y, a, b);
    pairs[kept->n] = four.s01;
    kept->n += is_small.s0;
    pairs[kept->n] = four.s23;
    kept->n += is_small.s1;
    pairs[kept->n] = four.s45;
    kept->n += is_small.s2;
    pairs[kept->n] = four.s67;
    kept->n += is_small.s3;
  }
  kept->n = min(kept->n, n);
}

/* Appends the pairs of 8 pixels from @at on; offsets: of the neighbour that a bit of touching_of() names. */
static inline void
append_pairs(kept_t *kept, __global const uint *at, ulong found, const int *offsets)
{
  for (; found != 0; found &= found - 1) {
    const uint bit = 63 - (uint)clz(found & (0 - found));
    __global const uint *own = at + (bit >> 3);

    kept->pairs[kept->n++] = (uint2)(own[0], own[offsets[bit & 7]]) - 1;
  }
}

/*
 * Lists the regions that touch, of which one is small, and offers them to each other for the first round. Each
 * work-item writes a list of its own. All edges of a region that is not shared are in one list, in every round, because
 * a region that joins a shared one becomes shared; see add_up_regions().
 */
__kernel void
list_edges(__global const uint *labels, __global const ulong *means, volatile __global NEAREST *nearest,
           __global uint2 *edges, volatile __global uint *totals, const int4 image, const uint4 work)
{
  const tile_t tile = own_tile(image, work);
  const int offsets[] = {0, -1, -image.x - 1, -image.x, -image.x + 1};
  const uint n_lists = (uint)get_global_size(1), space = work.w / n_lists;
  __global uint2 *own_edges = edges + (size_t)get_global_id(1) * space;
  uint stored = 0;
  kept_t kept;

  kept.n = 0;
  for (int y = tile.top; y < tile.bottom; y++)
    for (int x = tile.left, n; x < tile.right; x += n > 0 ? n : LANES) {
      __global const uint *row = labels + (size_t)y * (size_t)image.x;
      uchar found[LANES] = {0};

      n = touching_block(row, x, y, tile.right, image, found);
      if (n == 0)
        continue;

      const ulong2 halves = as_ulong2(((const bytes_t *)found)->lanes);
      append_pairs(&kept, row + x, halves.x, offsets);
      append_pairs(&kept, row + x + 8, halves.y, offsets);
      if (kept.n > KEPT) {
        offer_kept(&kept, means, nearest);
        stored = store_pairs(&kept, own_edges, stored, space);
      }
    }
  offer_kept(&kept, means, nearest);
  stored = store_pairs(&kept, own_edges, stored, space);
  if (stored < space)
    own_edges[stored] = (uint2)(0);
  atomic_max(totals, stored * n_lists);
}

/*
 * Replaces regions by those that they have joined, and keeps the edges that a further round needs. Most edges that are
 * there twice by then are near each other in the list, so that a table of those seen last leaves out the second.
 */
__kernel void
find_nearest(__global uint2 *edges, __global const uint *joined, __global const ulong *means,
             volatile __global NEAREST *nearest, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);
  ulong seen[1 << SEEN_BITS];
  uint written = start;
  kept_t kept;

  for (int i = 0; i < 1 << SEEN_BITS; i++)
    seen[i] = 0; /* the two regions of an edge differ */

  for (uint i = start; i < end && edges[i].x != edges[i].y;) {
    const uint stop = min(i + KEPT, end);

    kept.n = 0;
    for (; i < stop && edges[i].x != edges[i].y; i++) {
      const uint a = joined[edges[i].x], b = joined[edges[i].y];
      const uint2 edge = (uint2)(min(a, b), max(a, b));
      ulong *place = seen + (hash_of(edge) >> (32 - SEEN_BITS));

      kept.pairs[kept.n] = edge;
      kept.n += (uint)(a != b) & (uint)(as_ulong(edge) != *place);
      *place = as_ulong(edge);
    }
    offer_kept(&kept, means, nearest);
    __global uint2 *to = edges + written;
    for (uint k = 0; k < kept.n; k++)
      to[k] = kept.pairs[k];
    written += kept.n;
  }
  if (written < end)
    edges[written] = (uint2)(0);
}
