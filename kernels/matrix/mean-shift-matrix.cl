/* SPDX-License-Identifier: MIT */
/*
 * A warp filters 8 x 8 pixels, sixteen at a time. After each iteration the pixels that have not converged are compacted
 * and sorted by row, so that sixteen of them share the smallest rectangle that holds all of their windows.
 */
#define PIXELS 64
#define GROUP_SIDE 8

/*
 * entries: factors of the colour (2 words), start value, place (x below y, y counted from the first row held); pixels:
 * colour and alpha, place in the group; means: the new states of two times sixteen pixels, four words each
 */
typedef struct {
  __local uint4 *entries;
  __local uint2 *pixels;
  __local uint *means;
  __local uint *scratch;
} list_t;

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

/* The group's pixels inside `band`, 4 x 4 by 4 x 4. Returns their number. */
static inline uint
list_pixels(const list_t *list, __global const uint *source, const int4 image, const int4 band, const int own_x,
            const int own_y, const uint limit)
{
  uint count = 0;

  for (uint turn = 0; turn < PIXELS / 32; turn++) {
    const uint i = turn * 32 + lane_id();
    const int x = (int)((i >> 5) * 4 + (i & 3u)), y = (int)(i >> 2 & 7u);
    const bool inside = own_x + x < band.x + band.z && own_y + y < band.y + band.w;
    const uint votes = warp_vote(list->scratch, inside, false).x;
    const uint at = count + popcount(votes & ((1u << lane_id()) - 1u));

    if (inside) {
      const int row = own_y + y - image.z;
      const uint colour = source[(size_t)row * (size_t)image.x + (size_t)(own_x + x)];

      list->pixels[at] = (uint2)(colour, (uint)(x | y << 16));
      list->entries[at] = make_entry(colour, limit, (uint)(own_x + x) | (uint)row << 16);
    }
    count += popcount(votes);
  }
  return count;
}

/* A stable radix sort by binary digits of the row, counted from the list's first; rows beyond 31 count as 31. */
static inline void
sort_by_row(const list_t *list, const uint count)
{
  const uint lane = lane_id(), before = (1u << lane) - 1u;
  uint low = lane < count ? list->entries[lane].w >> 16 : 0xffffu;
  uint high = lane + 32 < count ? list->entries[lane + 32].w >> 16 : 0xffffu;
  const uint first = warp_bounds(list->scratch, min(low, high), 0).x;

  low = min(low - first, 31u) << 8 | lane;
  high = min(high - first, 31u) << 8 | (lane + 32);
  for (uint bit = 1u << 8; bit < 32u << 8; bit <<= 1) {
    const uint2 zeros_of = warp_vote(list->scratch, !(low & bit), !(high & bit));
    const uint zeros = popcount(zeros_of.x) + popcount(zeros_of.y);
    const uint low_rank = popcount(zeros_of.x & before),
               high_rank = popcount(zeros_of.x) + popcount(zeros_of.y & before);

    warp_fence();
    list->scratch[low & bit ? zeros + lane - low_rank : low_rank] = low;
    list->scratch[high & bit ? zeros + lane + 32 - high_rank : high_rank] = high;
    warp_fence();
    low = list->scratch[lane];
    high = list->scratch[lane + 32];
  }
  const uint4 low_entry = list->entries[low & 63u], high_entry = list->entries[high & 63u];
  const uint2 low_pixel = list->pixels[low & 63u], high_pixel = list->pixels[high & 63u];
  warp_fence();
  list->entries[lane] = low_entry;
  list->entries[lane + 32] = high_entry;
  list->pixels[lane] = low_pixel;
  list->pixels[lane + 32] = high_pixel;
  warp_fence();
}

static inline void
set_lane(lane_t *self, __global const uint *records, __local const uint *bands, __local uint *scratch,
         const uint strip_words)
{
  const uint row = lane_id() >> 2, part = lane_id() & 3u;
  const uint x = 0x03020100u + 0x04040404u * (part & 1u), y = 0x01010101u * (part >> 1);

  self->records = records;
  self->bands = bands + (row >> 2) * 8 + part * 2;
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

/* This lane's two centres of sixteen. The last parts of their factors depend on the pass. */
static inline void
load_centres(const lane_t *self, centres_t *centres, const list_t *list, const uint upper, const uint lower)
{
  const uint fixed = self->part == 2 ? 0x78005400u : 0u;

  centres->factors = (uint4)(fixed, fixed, 0u, 0u);
  if (self->part < 2) {
    centres->factors.x = ((__local const uint *)(list->entries + upper))[self->part];
    centres->factors.y = ((__local const uint *)(list->entries + lower))[self->part];
  }
}

/* The coordinates of a centre relative to row `top` and column `left` of the records, where its pass begins. */
static inline uint
band_mark(const uint place, const uint top, const uint part)
{
  return shift_left(HALF_ONE, ((place >> 16) - top - 2 * part) << 4);
}

static inline uint
column_mark(const uint place, const uint left)
{
  return permute(place + SP - left, 0x64646464u, 0x4040u);
}

static inline bool
in_pass(const uint place, const uint top, const uint across)
{
  return (place >> 16) - top < BAND && (place & 0xffffu) - across < REACH;
}

/* The origin of the planes x and y in a pass, in columns of the image and rows from the first row held. */
static inline uint2
pass_origin(const uint place, const uint x_first, const uint y_first)
{
  const uint across = ((place & 0xffffu) - x_first) & ~(REACH - 1), down = ((place >> 16) - y_first) & ~(BAND - 1);

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

  out[0] = mean_of(n.x * upper_x - (uint)sums.x, upper_q) |
           (mean_of(n.x * upper_y - (uint)sums.y, upper_q) - down) << 16;
  out[32] = mean_of(n.y * lower_x - (uint)sums.z, lower_q) |
            (mean_of(n.y * lower_y - (uint)sums.w, lower_q) - down) << 16;
}

/*
 * One iteration of sixteen entries from `first` on; `block` says that they are a block of 4 x 4 pixels at their start.
 */
static inline void
shift_sixteen(const lane_t *self, const list_t *list, __local uint *out, __global const double *reciprocals,
              const uint first, const uint last, const uint first_row, const bool block)
{
  const uint near = list->entries[min(first + (lane_id() & 15u), last)].w;
  const uint upper = min(first + self->row, last), lower = min(first + self->row + 8, last);
  const uint4 bounds = warp_bounds(self->scratch, near & 0xffffu, near >> 16);
  const uint x_first = bounds.x, y_first = bounds.y, x_last = bounds.z, y_last = bounds.w;
  const uint2 upper_rest = ((__local const uint2 *)(list->entries + upper))[1];
  const uint2 lower_rest = ((__local const uint2 *)(list->entries + lower))[1];
  int4 sums = (int4)(0, 0, 0, 0);
  const bool several = y_last - y_first >= BAND || x_last - x_first >= REACH;
  uint4 origin;
  centres_t centres;

  load_centres(self, &centres, list, upper, lower);
  for (uint top = y_first; top <= y_last; top += BAND)
    for (uint across = x_first; across <= x_last; across += REACH) {
      /*
       * The margin of the records is SP, so a window's first column in them equals its centre's column in the picture.
       */
      const uint left = across & ~3u, right = min(x_last, across + REACH - 1) + 2 * SP;

      centres.factors.z = band_mark(upper_rest.y, top, self->part);
      centres.factors.w = band_mark(lower_rest.y, top, self->part);
      centres.column = (uint2)(column_mark(upper_rest.y, left), column_mark(lower_rest.y, left));
      centres.start = (uint2)(upper_rest.x, lower_rest.x);
      if (several) {
        centres.start.x = in_pass(upper_rest.y, top, across) ? upper_rest.x : FAR;
        centres.start.y = in_pass(lower_rest.y, top, across) ? lower_rest.x : FAR;
      }
      if (UNROLL_BLOCKS && block)
        sums = sum_windows(self, &centres, left, (2 * SP + 3) / 4 + 1, top, 3, sums);
      else
        sums = sum_windows(self, &centres, left, right / 4 - left / 4 + 1, top, min(y_last - top, BAND - 1), sums);
    }
  origin.xy = origin.zw = (uint2)((x_first & ~3u) - SP, y_first - SP);
  if (several) {
    origin.xy = pass_origin(upper_rest.y, x_first, y_first);
    origin.zw = pass_origin(lower_rest.y, x_first, y_first);
  }
  write_means(self, out, reciprocals, sums, origin, first_row);
}

__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void
mean_shift_matrix(__global const uint *source, __global uint *result, __global const uint *records,
                  __global const double *reciprocals, const int4 image, const int4 region, const int4 band,
                  const int4 filter, __local uint4 *memory)
{
  __local uint *means = (__local uint *)(memory + PIXELS + PIXELS / 2);
  const list_t list = {memory, (__local uint2 *)(memory + PIXELS), means, means + 2 * PIXELS};
  __local uint *bands = list.scratch + SCRATCH_WORDS;
  const int own_x = band.x + (int)get_group_id(0) * GROUP_SIDE, own_y = band.y + (int)get_group_id(1) * GROUP_SIDE;
  const uint lane = lane_id(), limit = min((uint)filter.y, 195075u);
  const size_t at = (size_t)(own_y - region.y) * (size_t)region.z + (size_t)(own_x - region.x);
  uint count = list_pixels(&list, source, image, band, own_x, own_y, limit);
  const bool blocks = count == PIXELS && (own_x & 3) == 0;
  lane_t self;

  mark_bands(bands);
  set_lane(&self, records, bands, list.scratch, (uint)strip_rows(image.w) * LINE);
  /*
   * A barrier rather than a fence tells compilers that all lanes continue together, so that they keep common values in
   * uniform registers.
   */
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int left = filter.z; count > 0; left--) {
    uint kept = 0;

    for (uint first = 0; first < count; first += 32) {
      const uint mine = min(first + lane, count - 1);

      for (uint part = first; part < min(first + 32, count); part += 16)
        shift_sixteen(&self, &list, means + 4 * (part - first) + lane, reciprocals, part, count - 1, (uint)image.z,
                      blocks && left == filter.z);
      warp_fence();

      const uint4 found = ((__local const uint4 *)means)[lane];
      const uint place = list.entries[mine].w;
      const uint2 pixel = list.pixels[mine];
      const bool valid = first + lane < count, matched = found.y >> 16 != 0;
      const uint mean = (found.x & 255u) | (found.x >> 8 & 0xff00u) | (found.y & 255u) << 16 | (pixel.x & 0xff000000u);
      const uint colour = matched ? mean : pixel.x;
      const uint moved = abs_diff(found.z & 0xffffu, place & 0xffffu) + abs_diff(found.z >> 16, place >> 16);
      const bool stop =
          !matched || moved == 0 || (int)(moved + colour_distance(mean, pixel.x)) <= filter.w || left == 1;
      warp_fence();

      if (valid && stop)
        result[at + (size_t)(pixel.y >> 16) * (size_t)region.z + (pixel.y & 0xffffu)] = colour;
      const uint on = warp_vote(self.scratch, valid && !stop, false).x;
      warp_fence();
      if (valid && !stop) {
        const uint to = kept + popcount(on & ((1u << lane) - 1u));

        list.pixels[to] = (uint2)(colour, pixel.y);
        list.entries[to] = make_entry(colour, limit, found.z);
      }
      kept += popcount(on);
      warp_fence();
    }
    count = kept;
    if (count > 16)
      sort_by_row(&list, count);
  }
}
