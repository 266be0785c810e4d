/* SPDX-License-Identifier: MIT */
/*
 * A work-group filters BLOCK x BLOCK pixels with WARPS warps. A warp processes CHUNK pixels at a time and reads the
 * smallest rectangle that holds all of their windows once for all of them. After each iteration the pixels that have
 * not converged are merged and sorted.
 */

/* A warp's local memory: the centres of a chunk (factors of the colour, start value, place) and their means. */
typedef struct {
  __local uint4 *entries;
  __local uint *means;
  __local uint *scratch;
} warp_t;

/* The factors of a colour for the matrix product. */
static inline uint4
make_entry(const uint colour, const uint limit, const uint place)
{
  const uint threshold = colour_square(colour) + ~limit;
  const uint rest = half2_fma((threshold & 511u) << 17 | 0x10000u, 0x50005000u, 0u);
  const uint first = half2_add(permute(colour, 0x64006400u, 0x5150u), 0xe400e400u);
  const uint second = half2_add(permute(colour, 0x64006400u, 0x5452u), 0xe400e400u);
  const uint high = (uint)((int)threshold >> 9) + 512u;

  return (uint4)(half2_fma(first, 0xd800d800u, 0u), half2_fma(second, 0xd800d800u, rest),
                 half2_fma(permute(high, 0u, 0x1010u), 0x78007800u, 0xbc00bc00u), place);
}

static inline void
set_lane(lane_t *self, __global const uint *records, __local uint *scratch, const uint strip_words)
{
  const uint row = lane_id() >> 2, part = lane_id() & 3u;
  const uint x = 0x03020100u + 0x04040404u * (part & 1u), y = 0x01010101u * (part >> 1);

  self->records = records;
  self->excluded = excluded_rows(row, part);
  self->below = part >= 2;
  self->scratch = scratch;
  self->strip_words = strip_words;
  self->row = row;
  self->part = part;
  self->record_offset = (row >> 2) * LINE + min(part, 2u) * 4 + (row & 1u) * 2;
  self->plane_offset = (part >> 1) * LINE + 12 + row;
  self->counted = row == 4 ? x : row == 5 ? y : 0x01010101u;
  self->counted_across = row == 4 ? 0x08080808u : 0u;
  self->counted_down = row == 5 ? 0x02020202u : 0u;
}

/* The column of a centre relative to column `left` of the records, where its pass begins. */
static inline uint
column_mark(const uint place, const uint left)
{
  return permute(place + SP - left, 0x64646464u, 0x4040u);
}

/* Sets the parts of a centre that depend on the pass; centres of other passes are beyond every limit. */
static inline void
set_pass(const lane_t *self, centres_t *centres, const uint2 upper, const uint2 lower, const uint across,
         const uint top)
{
  const uint left = across & ~3u;
  const bool has_upper = (upper.y & 0xffffu) - across < REACH && (upper.y >> 16) - top < REACH;
  const bool has_lower = (lower.y & 0xffffu) - across < REACH && (lower.y >> 16) - top < REACH;

  centres->column = (uint2)(column_mark(upper.y, left), column_mark(lower.y, left));
  centres->start = (uint2)(has_upper ? upper.x : FAR, has_lower ? lower.x : FAR);
  centres->shift =
    (int2)(first_shift(self, (int)((upper.y >> 16) - top)), first_shift(self, (int)((lower.y >> 16) - top)));
}

/* The origin of the planes x and y in a centre's pass, in columns of the image and rows from the first row held. */
static inline uint2
pass_origin(const uint place, const uint x_first, const uint y_first)
{
  const uint across = ((place & 0xffffu) - x_first) & ~(REACH - 1), down = ((place >> 16) - y_first) & ~(REACH - 1);

  return (uint2)(((x_first + across) & ~3u) - SP, y_first + down - SP);
}

/*
 * Two values of the new states of two pixels: lane 4 r + p holds part p of (red, green), (blue, number of samples), (x,
 * y), unused.
 */
static inline void
write_means(const lane_t *self, __local uint *out, __global const double *reciprocals, const int4 sums,
            const uint4 origin, const uint first_row)
{
  const uint2 n = 0u - warp_from_lane(self->scratch, (uint2)((uint)sums.y, (uint)sums.w), (lane_id() & ~3u) | 1u);
  const double upper_q = reciprocals[n.x], lower_q = reciprocals[n.y];
  const bool places = self->part == 2;
  const uint down = places ? first_row : 0u;
  const uint upper_x = places ? origin.x : 0u, upper_y = places ? origin.y + first_row : 0u;
  const uint lower_x = places ? origin.z : 0u, lower_y = places ? origin.w + first_row : 0u;

  out[0] = mean_of(n.x * upper_x - (uint)sums.x, upper_q) | (mean_of(n.x * upper_y - (uint)sums.y, upper_q) - down)
                                                              << 16;
  out[32] = mean_of(n.y * lower_x - (uint)sums.z, lower_q) | (mean_of(n.y * lower_y - (uint)sums.w, lower_q) - down)
                                                               << 16;
}

/* One iteration of the chunk in `warp->entries`. */
static inline void
shift_chunk(const lane_t *self, const warp_t *warp, __global const double *reciprocals, const uint first_row)
{
  const uint near = warp->entries[lane_id()].w;
  const uint4 bounds = warp_bounds(self->scratch, near & 0xffffu, near >> 16);
  const uint x_first = bounds.x, y_first = bounds.y, x_last = bounds.z, y_last = bounds.w;
  uint2 upper[SETS], lower[SETS];
  int4 sums[SETS];
  centres_t centres[SETS];

#pragma unroll
  for (int k = 0; k < SETS; k++) {
    const uint at = 16 * (uint)k + self->row, fixed = self->part == 2 ? 0x78005400u : 0u;

    upper[k] = ((__local const uint2 *)(warp->entries + at))[1];
    lower[k] = ((__local const uint2 *)(warp->entries + at + 8))[1];
    centres[k].factors = (uint4)(fixed, fixed, 0u, 0u);
    if (self->part < 2) {
      centres[k].factors.x = ((__local const uint *)(warp->entries + at))[self->part];
      centres[k].factors.y = ((__local const uint *)(warp->entries + at + 8))[self->part];
    }
    sums[k] = (int4)(0, 0, 0, 0);
  }
  for (uint top = y_first; top <= y_last; top += REACH)
    for (uint across = x_first; across <= x_last; across += REACH) {
      /*
       * The margin of the records is SP, so a window's first column in them equals its centre's column in the picture.
       */
      const uint left = across & ~3u, right = min(x_last, across + REACH - 1) + 2 * SP;

#pragma unroll
      for (int k = 0; k < SETS; k++)
        set_pass(self, &centres[k], upper[k], lower[k], across, top);
      sum_windows(self, centres, left, right / 4 - left / 4 + 1, top, min(y_last - top, REACH - 1), sums);
    }
#pragma unroll
  for (int k = 0; k < SETS; k++)
    write_means(self, warp->means + 64 * k + lane_id(), reciprocals, sums[k],
                (uint4)(pass_origin(upper[k].y, x_first, y_first), pass_origin(lower[k].y, x_first, y_first)),
                first_row);
}

/* Takes the new state of pixel `a`; returns whether it has not converged. */
static inline bool
take_mean(const group_t *group, const uint a, const uint4 found, const int epsilon)
{
  const uint old = group->colours[a], place = group->places[a];
  const uint mean = (found.x & 255u) | (found.x >> 8 & 0xff00u) | (found.y & 255u) << 16 | (old & 0xff000000u);
  const uint moved = abs_diff(found.z & 0xffffu, place & 0xffffu) + abs_diff(found.z >> 16, place >> 16);

  if (found.y >> 16 == 0)
    return false;
  group->colours[a] = mean;
  group->places[a] = found.z;
  return moved != 0 && (int)(moved + colour_distance(mean, old)) > epsilon;
}

/* One iteration of all pixels of a list; those that have not converged are appended to `to`. */
static inline void
shift_list(const group_t *group, const warp_t *warp, const lane_t *self, __global const double *reciprocals,
           __local const ushort *from, __local ushort *to, const uint count, const int4 image, const int4 filter,
           const uint number)
{
  const uint limit = min((uint)filter.y, 195075u);

  for (uint first = number * CHUNK; first < count; first += WARPS * CHUNK) {
    const uint at = first + lane_id(), a = from[min(at, count - 1)];

    warp->entries[lane_id()] = make_entry(group->colours[a], limit, group->places[a]);
    warp_fence();
    shift_chunk(self, warp, reciprocals, (uint)image.z);
    warp_fence();
    if (at < count && take_mean(group, a, ((__local const uint4 *)warp->means)[lane_id()], filter.w))
      to[atomic_inc(&group->counts[1])] = (ushort)a;
    warp_fence();
  }
}

/* Writes the colour of the pixel that each was merged with in the end, with its own alpha. */
static inline void
write_results(const group_t *group, __global uint *result, const int4 region, const int4 band, const int own_x,
              const int own_y, const uint me)
{
  for (uint i = me; i < PIXELS; i += GROUP) {
    const uint2 position = pixel_position(i);
    const int x = own_x + (int)position.x, y = own_y + (int)position.y;
    uint last = i;

    if (x >= band.x + band.z || y >= band.y + band.w)
      continue;
    while (group->links[last] != last)
      last = group->links[last];
    result[(size_t)(y - region.y) * (size_t)region.z + (size_t)(x - region.x)] =
      (group->colours[last] & 0xffffffu) | (group->colours[i] & 0xff000000u);
  }
}

__kernel __attribute__((reqd_work_group_size(BLOCK, GROUP / BLOCK, 1))) void
mean_shift_matrix(__global const uint *source, __global uint *result, __global const uint *records,
                  __global const double *reciprocals, const int4 image, const int4 region, const int4 band,
                  const int4 filter, __local uint4 *memory)
{
  const uint me = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));
  const int own_x = band.x + (int)get_group_id(0) * BLOCK, own_y = band.y + (int)get_group_id(1) * BLOCK;
  __local uint *words = (__local uint *)(memory + GROUP / 32 * CHUNK);
  __local uint *colours = words + WARPS * (4 * CHUNK + SCRATCH_WORDS);
  __local ushort *links = (__local ushort *)(colours + 2 * PIXELS + BINS + GROUP + 4);
  const group_t group = {
    colours, colours + PIXELS, colours + 2 * PIXELS, colours + 2 * PIXELS + BINS, colours + 2 * PIXELS + BINS + GROUP,
    links};
  __local ushort *now = links + PIXELS, *next = now + PIXELS;
  lane_t self;

  if (me == 0)
    group.counts[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  list_pixels(&group, now, source, image, band, own_x, own_y, me);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint number = warp_number(me / 32);
  const warp_t warp = {memory + number * CHUNK, words + number * 4 * CHUNK,
                       words + WARPS * 4 * CHUNK + number * SCRATCH_WORDS};
  uint count = group.counts[0];

  if (count == PIXELS)
    for (uint i = me; i < PIXELS; i += GROUP)
      now[i] = (ushort)i;
  set_lane(&self, records, warp.scratch, (uint)(image.w + PADDING_ROWS) * LINE);
  for (int left = filter.z; left > 0 && count > 0; left--) {
    if (me == 0)
      group.counts[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    shift_list(&group, &warp, &self, reciprocals, now, next, count, image, filter, number);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left > 1) {
      count = merge_same(&group, next, now, group.counts[1], me);
      sort_by_cell(&group, now, next, count, own_x + BLOCK / 2 - 64, own_y - image.z + BLOCK / 2 - 64, me);
    }
    __local ushort *other = now;
    now = next;
    next = other;
  }
  write_results(&group, result, region, band, own_x, own_y, me);
}
