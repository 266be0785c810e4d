/* SPDX-License-Identifier: MIT */
/*
 * Connects pixels to regions and numbers these from 1 on in the order of their first pixels, as
 * core/regions/regions-reference.c does. parents[i] is a member of the set of i, at or before i, and at the end the
 * first one.
 * image: (width, height, spatial radius, squared colour distance). Of pixels, a work-item takes a tile of work.x
 * columns and work.y rows; of the members of sets, work.y in all, it takes work.x.
 *
 * Where several work-items join sets, reads of parents race with the atomic minimum of others. They may see an outdated
 * parent, which is also a member of the set.
 */

/* A bit of a region's number of pixels: several work-items add to it and offer regions to it. */
#define SHARED 0x80000000U

typedef struct {
  int left;
  int top;
  int right;
  int bottom;
} tile_t;

static inline tile_t
own_tile(const int4 image, const uint4 work)
{
  const int left = min((int)get_global_id(0) * (int)work.x, image.x), top = (int)get_global_id(1) * (int)work.y;

  return (tile_t){left, top, min(left + (int)work.x, image.x), min(top + (int)work.y, image.y)};
}

static inline uint
find_first(volatile __global const uint *parents, uint at)
{
  for (uint parent = parents[at]; parent != at; parent = parents[at])
    at = parent;
  return at;
}

/*
 * Like find_first(), but also halves the path to the result. It may overwrite a parent that another work-item sets at
 * the same time; that work-item then joins the two parents itself.
 */
static inline uint
find_first_halving(volatile __global uint *parents, uint at)
{
  for (uint parent = parents[at]; parent != at; parent = parents[at]) {
    const uint above = parents[parent];

    if (above != parent)
      parents[at] = above;
    at = above;
  }
  return at;
}

static inline void
join(volatile __global uint *parents, const uint a, const uint b)
{
  uint late = a, early = b;

  for (bool joined = false; !joined;) {
    const uint p = find_first_halving(parents, late), q = find_first_halving(parents, early);
    const uint before = p == q ? p : atomic_min(&parents[max(p, q)], min(p, q));

    /* Where another work-item has set a parent of the later set meanwhile, that parent must be joined as well. */
    joined = before == max(p, q);
    late = before;
    early = min(p, q);
  }
}

/* Writes to which of the neighbours before it each pixel is close. */
__kernel void
link_pixels(__global const uint *colours, __global const uint *modes, __global uchar *links, const int4 image,
            const uint4 work)
{
  const tile_t tile = own_tile(image, work);

  for (int y = tile.top; y < tile.bottom; y++)
    for (int x = tile.left; x < tile.right;) {
      const uint at = (uint)y * (uint)image.x + (uint)x;

      if (y > 0 && x > 0 && x + LANES < tile.right) {
        link_lanes(colours, modes, links, at, image);
        x += LANES;
      } else {
        links[at] = links_of(colours, modes, at, x, image);
        x++;
      }
    }
}

/* Joins the set of @other, a pixel before, with the set whose first pixel is @first; returns the first one of both. */
static inline uint
join_within(__global uint *parents, const uint first, const uint other)
{
  uint q = parents[other];

  if (q == first)
    return first;
  while (q != parents[q]) {
    parents[q] = parents[parents[q]];
    q = parents[q];
  }
  parents[max(q, first)] = min(q, first);
  return min(q, first);
}

/*
 * Leaves out links to the row above between pixels that others join anyway: neighbours of one row are joined by links
 * to the left, and so are the pixels above them.
 */
static inline uchar
needed_links(__global const uchar *links, const uint at, const int x, const int4 image)
{
  const uint above = at - (uint)image.x;
  const uchar own = links[at], before = x > 0 ? links[at - 1] : 0, after = x + 1 < image.x ? links[at + 1] : 0;
  const bool left = own & LEFT, up = own & ABOVE, left_above = links[above] & LEFT;
  const bool right_above = x + 1 < image.x && links[above + 1] & LEFT;
  uchar implied = 0;

  if ((before & ABOVE && left) || (up && left_above))
    implied |= ABOVE_LEFT;
  if (before & ABOVE && left && left_above)
    implied |= ABOVE;
  if ((after & ABOVE && after & LEFT) || (up && right_above))
    implied |= ABOVE_RIGHT;
  return own & ~implied;
}

static inline void
join_links(volatile __global uint *parents, const uint at, const uint width, const uchar link)
{
  if (link & LEFT)
    join(parents, at, at - 1);
  if (link & ABOVE_LEFT)
    join(parents, at, at - width - 1);
  if (link & ABOVE)
    join(parents, at, at - width);
  if (link & ABOVE_RIGHT)
    join(parents, at, at - width + 1);
}

/* Joins the pixels at the borders of a tile with those of other tiles. */
__kernel void
join_tiles(__global const uchar *links, volatile __global uint *parents, const int4 image, const uint4 work)
{
  const tile_t tile = own_tile(image, work);
  const uint width = (uint)image.x;

  for (int x = tile.left; x < tile.right && tile.top > 0 && tile.top < tile.bottom; x++) {
    const uint at = (uint)tile.top * width + (uint)x;

    join_links(parents, at, width, needed_links(links, at, x, image) & ~LEFT);
  }
  for (int y = tile.top; y < tile.bottom && tile.left < tile.right; y++) {
    const uint first = (uint)y * width + (uint)tile.left, last = (uint)y * width + (uint)tile.right - 1;

    if (tile.left > 0)
      join_links(parents, first, width, links[first] & (y > tile.top ? LEFT | ABOVE_LEFT : LEFT));
    if (tile.right < image.x && y > tile.top)
      join_links(parents, last, width, links[last] & ABOVE_RIGHT);
  }
}

/*
 * The number of the set that begins with @first; before[k] is how many sets begin before the members k * work.x on.
 * None is above work.w, the number of sets, also where one was counted wrongly: memory for so many follows.
 */
static inline uint
number_of(__global const uint *before, __global const uint *ranks, const uint first, const uint4 work)
{
  const uint own = (uint)get_global_id(0);

  return min(before[first < own * work.x ? first / work.x : own] + ranks[first], work.w);
}

/* Replaces the first member of each one's set by the number of the set. */
__kernel void
number_sets(__global uint *firsts, __global const uint *before, __global const uint *ranks, const int4 image,
            const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);

  for (uint i = start; i < end; i++)
    firsts[i] = number_of(before, ranks, firsts[i], work);
}
