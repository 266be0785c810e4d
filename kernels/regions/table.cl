/* SPDX-License-Identifier: MIT */
/*
 * The table of regions, from the labels and the picture before the filter. entries: ENTRY numbers for each region,
 * which start as 0: the sums of columns, rows, three channels and their squares as in sums.cl, pixels, the edges of
 * pixels on its border, and the largest column from the right border, row from the lower border, column and row. So
 * every extreme is a largest number, for which 0 is no pixel's or the first one's.
 */
#define ENTRY 22
#define COLUMNS 0
#define ROWS 2
#define CHANNELS 4
#define SQUARES 10
#define PIXELS 16
#define BOX 18

/* The most pixels whose squares are added in 32 bits. */
#define LONGEST_RUN 65536

typedef struct {
  ulong columns;
  ulong rows;
  uint4 sums;
  uint4 squares;
  uint4 box;
  uint edges;
} run_t;

static inline void
add_run(volatile __global uint *entry, const run_t *run, const uint pixels)
{
  add_wide(entry + COLUMNS, run->columns);
  add_wide(entry + ROWS, run->rows);
  add_wide(entry + CHANNELS, run->sums.x);
  add_wide(entry + CHANNELS + 2, run->sums.y);
  add_wide(entry + CHANNELS + 4, run->sums.z);
  add_wide(entry + SQUARES, run->squares.x);
  add_wide(entry + SQUARES + 2, run->squares.y);
  add_wide(entry + SQUARES + 4, run->squares.z);
  /* There are too few pixels for a carry into the edges. */
  add_wide(entry + PIXELS, (ulong)run->edges << 32 | pixels);
  raise(entry + BOX, run->box.x);
  raise(entry + BOX + 1, run->box.y);
  raise(entry + BOX + 2, run->box.z);
  raise(entry + BOX + 3, run->box.w);
}

/* How many of the four edges of the pixel at @at lie between its region and another one or the outside. */
static inline uint
edges_of(__global const uint *at, const uint label, const int x, const int y, const int4 image)
{
  return (uint)(x == 0 || at[-1] != label) + (uint)(x == image.x - 1 || at[1] != label) +
         (uint)(y == 0 || at[-image.x] != label) + (uint)(y == image.y - 1 || at[image.x] != label);
}

/* Adds the pixels of a span to their regions; those of one region that follow each other together. */
__kernel void
sum_regions(__global const uint *labels, __global const uint *pixels, volatile __global uint *entries, const int4 image,
            const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, work.y);
  int x = (int)(start % (uint)image.x), y = (int)(start / (uint)image.x);

  for (uint i = start; i < end;) {
    const uint label = labels[i], first = i;
    run_t run = {0};

    for (; i < end && labels[i] == label && i - first < LONGEST_RUN; i++) {
      const uint4 colour = convert_uint4(as_uchar4(pixels[i]));

      run.columns += (uint)x;
      run.rows += (uint)y;
      run.sums += colour;
      run.squares += colour * colour;
      run.edges += edges_of(labels + i, label, x, y, image);
      run.box = max(run.box, (uint4)((uint)(image.x - 1 - x), (uint)(image.y - 1 - y), (uint)x, (uint)y));
      x++;
      if (x == image.x) {
        x = 0;
        y++;
      }
    }
    add_run(entries + (size_t)(label - 1) * ENTRY, &run, i - first);
  }
}

/* Keeps a pair unless its place in @seen shows that it was kept before; keep_distinct() removes the other copies. */
static inline void
keep_new_pair(kept_t *kept, uint2 *seen, const uint2 pair)
{
  uint2 *place = seen + (hash_of(pair) >> (32 - SEEN_BITS));

  if (all(*place == pair))
    return;
  *place = pair;
  kept->pairs[kept->n++] = pair;
}

static inline void
keep_pairs(kept_t *kept, uint2 *seen, __global const uint *at, const uchar links, const int4 image)
{
  for (uchar link = LEFT; link <= ABOVE_RIGHT; link <<= 1)
    if (links & link) {
      const uint own = *at, other = other_of(at, link, image.x);

      keep_new_pair(kept, seen, (uint2)(min(own, other), max(own, other)));
    }
}

/* Lists the labels of regions that touch. */
__kernel void
list_neighbours(__global const uint *labels, __global uint2 *pairs, volatile __global uint *totals, const int4 image,
                const uint4 work)
{
  const tile_t tile = own_tile(image, work);
  kept_t kept;
  uint2 seen[1 << SEEN_BITS];

  kept.n = 0;
  for (int i = 0; i < 1 << SEEN_BITS; i++)
    seen[i] = (uint2)(0); /* labels begin with 1 */
  for (int y = tile.top; y < tile.bottom; y++)
    for (int x = tile.left, n; x < tile.right; x += max(n, 1)) {
      __global const uint *row = labels + (size_t)y * (size_t)image.x;
      uchar found[LANES];

      n = touching_block(row, x, y, tile.right, image, found);
      if (n == 0)
        x += LANES - 1;
      for (int i = 0; i < n; i++)
        if (found[i])
          keep_pairs(&kept, seen, row + x + i, found[i], image);
      if (kept.n > KEPT)
        write_pairs(&kept, pairs, totals, work);
    }
  write_pairs(&kept, pairs, totals, work);
}

/*
 * Copies each pair of a span to @distinct unless an equal one is there; of the list for work.y pairs, totals[0] are
 * there. slots: a hash table of work.w + 1 numbers of pairs, a power of two larger than the list; they start as 0, and
 * the pairs count from 1.
 */
__kernel void
keep_distinct(__global const uint2 *pairs, volatile __global uint *slots, __global uint2 *distinct,
              volatile __global uint *totals, const int4 image, const uint4 work)
{
  const uint start = (uint)get_global_id(0) * work.x, end = min(start + work.x, min(work.y, totals[0]));

  for (uint i = start; i < end; i++) {
    const uint2 pair = pairs[i];
    uint hash = hash_of(pair), other;

    hash ^= hash >> 15;
    do {
      other = atomic_cmpxchg(slots + (hash++ & work.w), 0u, i + 1);
    } while (other != 0 && any(pairs[other - 1] != pair));
    if (other == 0)
      distinct[atomic_inc(totals + 3)] = pair;
  }
}
