/* SPDX-License-Identifier: MIT */
/*
 * The pixels that a group filters and their lists in local memory: pixels that have reached the same position and
 * colour are merged, so that one continues and the others refer to it; those that continue are sorted by position.
 */
#define PIXELS (BLOCK * BLOCK)
#define GROUP (32 * WARPS)
#define BINS 1024 /* slots of the hash table, and cells of the sort */
#define EMPTY 0xffffffffu
#define PROBES 4

/*
 * Of each pixel its colour and alpha, its place (x below y, y counted from the first row held) and the pixel that it
 * was merged with; the hash table or the cells of the sort, the pixels in the cells of each work-item, and two
 * counters.
 */
typedef struct {
  __local uint *colours;
  __local uint *places;
  __local uint *bins;
  __local uint *starts;
  __local uint *counts;
  __local ushort *links;
} group_t;

/* Column and row of pixel `i` in its block: blocks of 4 x 4 follow each other, so that a chunk is a compact block. */
static inline uint2
pixel_position(const uint i)
{
  const uint block = i / 16;

  return (uint2)(block % (BLOCK / 4) * 4 + (i & 3u), block / (BLOCK / 4) * 4 + (i >> 2 & 3u));
}

/* Lists the block's pixels inside `band`. */
static inline void
list_pixels(const group_t *group, __local ushort *list, __global const uint *source, const int4 image, const int4 band,
            const int own_x, const int own_y, const uint me)
{
  for (uint i = me; i < PIXELS; i += GROUP) {
    const uint2 position = pixel_position(i);
    const int x = own_x + (int)position.x, y = own_y + (int)position.y;

    group->links[i] = (ushort)i;
    if (x < band.x + band.z && y < band.y + band.w) {
      group->colours[i] = source[(size_t)(y - image.z) * (size_t)image.x + (size_t)x];
      group->places[i] = (uint)x | (uint)(y - image.z) << 16;
      list[atomic_inc(&group->counts[0])] = (ushort)i;
    }
  }
}

static inline void
fill_bins(const group_t *group, const uint value, const uint me)
{
  for (uint i = me; i < BINS; i += GROUP)
    group->bins[i] = value;
}

/* Whether pixel `a` continues; otherwise it now refers to the pixel that it was merged with. */
static inline bool
continues(const group_t *group, const uint a)
{
  const uint colour = group->colours[a] & 0xffffffu, place = group->places[a];
  uint slot = (colour * 0x9e3779b1u ^ place * 0x85ebca6bu) >> 16;

  for (uint probe = 0; probe < PROBES; probe++, slot++) {
    const uint other = atomic_cmpxchg(&group->bins[slot % BINS], EMPTY, a);

    if (other == EMPTY)
      return true;
    if (group->places[other] == place && ((group->colours[other] ^ colour) & 0xffffffu) == 0) {
      group->links[a] = (ushort)other;
      return false;
    }
  }
  return true;
}

/* Copies the pixels of a list that continue; returns their number. Afterwards all bins hold 0. */
static inline uint
merge_same(const group_t *group, __local const ushort *from, __local ushort *to, const uint count, const uint me)
{
  fill_bins(group, EMPTY, me);
  if (me == 0)
    group->counts[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = me; i < count; i += GROUP)
    if (continues(group, from[i]))
      to[atomic_inc(&group->counts[0])] = from[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  fill_bins(group, 0, me);
  barrier(CLK_LOCAL_MEM_FENCE);
  return group->counts[0];
}

/* The five lowest bits, with a zero after each. */
static inline uint
spread_bits(const uint value)
{
  const uint twos = (value | value << 4) & 0x10fu, ones = (twos | twos << 2) & 0x133u;

  return (ones | ones << 1) & 0x155u;
}

/* The cell of 4 x 4 pixels of a place, along a curve that keeps near cells together; far places share the last ones. */
static inline uint
cell_of(const uint place, const int left, const int top)
{
  const int x = ((int)(place & 0xffffu) - left) >> 2, y = ((int)(place >> 16) - top) >> 2;

  return spread_bits((uint)clamp(x, 0, 31)) | spread_bits((uint)clamp(y, 0, 31)) << 1;
}

/* Replaces the number of pixels of each cell by that of all cells before it. */
static inline void
sum_bins(const group_t *group, const uint me)
{
  __local uint *own = group->bins + me * (BINS / GROUP);
  uint sum = 0;

  for (uint i = 0; i < BINS / GROUP; i++)
    sum += own[i];
  group->starts[me] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < GROUP; step *= 2) {
    const uint before = me >= step ? group->starts[me - step] : 0;

    barrier(CLK_LOCAL_MEM_FENCE);
    group->starts[me] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sum = group->starts[me] - sum;
  for (uint i = 0; i < BINS / GROUP; i++) {
    const uint number = own[i];

    own[i] = sum;
    sum += number;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

/* Sorts a list by cells, counted from (left, top). */
static inline void
sort_by_cell(const group_t *group, __local const ushort *from, __local ushort *to, const uint count, const int left,
             const int top, const uint me)
{
  for (uint i = me; i < count; i += GROUP)
    atomic_inc(&group->bins[cell_of(group->places[from[i]], left, top)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  sum_bins(group, me);
  for (uint i = me; i < count; i += GROUP)
    to[atomic_inc(&group->bins[cell_of(group->places[from[i]], left, top)])] = from[i];
  barrier(CLK_LOCAL_MEM_FENCE);
}
