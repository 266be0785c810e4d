/* SPDX-License-Identifier: MIT */
/*
 * Joins the pixels of a tile of whole rows, which no other work-item reads. It leaves out the links that needed_links()
 * leaves out, by vectors of LANES pixels. tiles-one.cl has the same kernels without vectors.
 */
static inline uchar16
needed_lanes(__global const uchar *links, const uint at, const uint width)
{
  const uchar16 own = BYTES_AT(links + at), before = BYTES_AT(links + at - 1), after = BYTES_AT(links + at + 1);
  const uchar16 left_above = BYTES_AT(links + at - width) & (uchar)LEFT,
                right_above = BYTES_AT(links + at - width + 1) & (uchar)LEFT;
  const uchar16 left = own & (uchar)LEFT, up = own & (uchar)ABOVE, up_before = before & (uchar)ABOVE;
  const uchar16 corner = (up_before >> (uchar)1 & left << (uchar)1) | (up >> (uchar)1 & left_above << (uchar)1);
  const uchar16 above = up_before & left << (uchar)2 & left_above << (uchar)2;
  const uchar16 other_corner = (after << (uchar)1 & after << (uchar)3 & (uchar)ABOVE_RIGHT) |
                               (up << (uchar)1 & right_above << (uchar)3);

  return own & ~(corner | above | other_corner);
}

/* Stores the links of pixels from column x on that must be followed; returns how many pixels that are. */
static inline int
needed_block(__global const uchar *links, const int x, const int y, const tile_t tile, const int4 image, uchar *needed)
{
  const uint at = (uint)y * (uint)image.x + (uint)x;

  if (y > tile.top && x > 0 && x + LANES < image.x) {
    ((bytes_t *)needed)->lanes = needed_lanes(links, at, (uint)image.x);
    return LANES;
  }
  needed[0] = y > tile.top ? needed_links(links, at, x, image) : links[at] & LEFT;
  return 1;
}

/* Whether LANES pixels only go on from those before them. */
static inline bool
go_on(const int n, const uchar *needed)
{
  return n == LANES && all(as_long2(((const bytes_t *)needed)->lanes ^ (uchar16)(LEFT)) == 0);
}

__kernel void
connect_tiles(__global const uchar *links, __global uint *parents, const int4 image, const uint4 work)
{
  const tile_t tile = own_tile(image, work);
  const uint width = (uint)image.x;

  for (int y = tile.top; y < tile.bottom; y++) {
    uint first = 0;

    for (int x = 0, n; x < image.x; x += n) {
      uchar needed[LANES];

      n = needed_block(links, x, y, tile, image, needed);
      if (go_on(n, needed)) {
        ((__global words_t *)(parents + (uint)y * width + (uint)x))->lanes = (uint16)(first);
        continue;
      }
      for (int i = 0; i < n; i++) {
        const uint at = (uint)y * width + (uint)(x + i);
        const uchar link = needed[i];

        first = link & LEFT ? first : at;
        parents[at] = first;
        if (link <= LEFT)
          continue;
        if (link & ABOVE)
          first = join_within(parents, first, at - width);
        if (link & ABOVE_LEFT)
          first = join_within(parents, first, at - width - 1);
        if (link & ABOVE_RIGHT)
          first = join_within(parents, first, at - width + 1);
        parents[at] = first;
      }
    }
  }
}

/*
 * Every member's parent becomes the first of its set. counts[k]: how many sets begin among members k * work.x on;
 * ranks: of first members, which one of these they are, from 1 on; what the others have is not read. Nothing is decided
 * for each member, since a parent among the members before is the first of its set already.
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
    const uint parent = parents[i], first = parent < start ? find_first(parents, parent) : parents[parent];

    count += first == i ? 1u : 0u;
    ranks[i] = count;
    parents[i] = first;
  }
  counts[get_global_id(0)] = count;
}

/* Whether others add to the region whose number of pixels is at @size; mark_shared() has run before. */
static inline bool
is_shared(__global const uint *size)
{
  return (*size & SHARED) != 0;
}

/*
 * Marks the regions that reach the last row of a span but the last span: only to these can the work-item of the next
 * span add pixels, or offer regions that touch. Spans consist of whole rows.
 */
__kernel void
mark_shared(__global const uint *firsts, __global const uint *before, __global const uint *ranks,
            volatile __global uint *sums, const int4 image, const uint4 work)
{
  const uint end = ((uint)get_global_id(0) + 1) * work.x;

  for (uint i = end - (uint)image.x; i < end && end < work.y; i++)
    if (i == end - (uint)image.x || firsts[i] != firsts[i - 1])
      atomic_or(sums + (size_t)(number_of(before, ranks, firsts[i], work) - 1) * SUMS + SIZE, SHARED);
}
