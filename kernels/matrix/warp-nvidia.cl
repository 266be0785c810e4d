/* SPDX-License-Identifier: MIT */
/*
 * Warp operations and matrix units of NVIDIA devices from compute capability 8.0 on, in PTX. In tests on other devices
 * tests/filter/warp-portable.cl stands in for it, which defines each function in plain C and whose lanes exchange
 * values through SCRATCH_WORDS words of local memory.
 */
#define SCRATCH_WORDS 0
#define SIGNS 0xfbd9u /* the signs of two pairs of halves, spread over a byte each, first with first */

static inline uint
lane_id(void)
{
  return (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0)) & 31u;
}

/* The number of this warp, `number` of each lane, in a form that tells the compiler that all lanes have the same. */
static inline uint
warp_number(const uint number)
{
  uint result;
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(result) : "r"(number));
  return result;
}

static inline void
warp_fence(void)
{
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

static inline uint2
warp_from_lane(__local uint *scratch, const uint2 value, const uint lane)
{
  uint2 result;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result.x) : "r"(value.x), "r"(lane));
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result.y) : "r"(value.y), "r"(lane));
  return result;
}

static inline uint4
warp_bounds(__local uint *scratch, const uint x, const uint y)
{
  uint4 result;
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(result.x) : "r"(x));
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(result.y) : "r"(y));
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(result.z) : "r"(x));
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(result.w) : "r"(y));
  return result;
}

/*
 * Bytes of `low` (0-3) and `high` (4-7) selected by the four nibbles of `pick`; bit 3 of a nibble replicates the byte's
 * sign.
 */
static inline uint
permute(uint low, uint high, uint pick)
{
  uint result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(pick));
  return result;
}

/* Pairs of halves, each in a word. */
static inline uint
half2_add(uint a, uint b)
{
  uint result;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

static inline uint
half2_fma(uint a, uint b, uint c)
{
  uint result;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}

/* max(0, |a - b| * scale + bias) in both halves */
static inline uint
half2_beyond(uint a, uint b, uint scale, uint bias)
{
  uint result;
  asm("{ .reg .b32 d; sub.rn.f16x2 d, %1, %2; abs.f16x2 d, d; fma.rn.relu.f16x2 %0, d, %3, %4; }"
      : "=r"(result)
      : "r"(a), "r"(b), "r"(scale), "r"(bias));
  return result;
}

/* A shift by 32 or more gives 0. */
static inline uint
shift_left(uint value, uint by)
{
  uint result;
  asm("shl.b32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(by));
  return result;
}

/* Squared distances minus the limit of 16 centres from 8 samples: factors * samples + start, in pairs of halves. */
static inline uint2
inner_distances(uint4 factors, uint samples, uint2 start)
{
  uint2 d;
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
      : "=r"(d.x), "=r"(d.y)
      : "r"(factors.x), "r"(factors.y), "r"(samples), "r"(start.x), "r"(start.y));
  return d;
}

/* The same, but far beyond the limit for samples whose row is outside the centre's window. */
static inline uint2
edge_distances(uint4 factors, uint samples, uint band, uint2 start)
{
  uint2 d;
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
      : "=r"(d.x), "=r"(d.y)
      : "r"(factors.x), "r"(factors.y), "r"(factors.z), "r"(factors.w), "r"(samples), "r"(band), "r"(start.x),
        "r"(start.y));
  return d;
}

/* Adds up, for 16 centres, 8 planes of 32 samples under the masks. */
static inline int4
sum_planes(uint4 masks, uint2 planes, int4 sums)
{
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums.x), "+r"(sums.y), "+r"(sums.z), "+r"(sums.w)
      : "r"(masks.x), "r"(masks.y), "r"(masks.z), "r"(masks.w), "r"(planes.x), "r"(planes.y));
  return sums;
}

/* Sixteen centres against 4 rows of 8 samples, even columns before odd ones; `edge` says that `band` is used. */
static inline int4
matrix_step(__local uint *scratch, const uint4 factors, const uint2 even, const uint2 odd, const uint2 above,
            const uint2 below, const uint2 band, const bool edge, const uint2 planes, const int4 sums)
{
  const uint2 a = edge ? edge_distances(factors, above.x, band.x, even) : inner_distances(factors, above.x, even);
  const uint2 b = edge ? edge_distances(factors, above.y, band.x, odd) : inner_distances(factors, above.y, odd);
  const uint2 c = edge ? edge_distances(factors, below.x, band.y, even) : inner_distances(factors, below.x, even);
  const uint2 d = edge ? edge_distances(factors, below.y, band.y, odd) : inner_distances(factors, below.y, odd);
  const uint4 masks = {permute(a.x, b.x, SIGNS), permute(a.y, b.y, SIGNS), permute(c.x, d.x, SIGNS),
                       permute(c.y, d.y, SIGNS)};

  return sum_planes(masks, planes, sums);
}

static inline uint
colour_square(uint c)
{
  uint result;
  asm("dp4a.u32.u32 %0, %1, %1, 0;" : "=r"(result) : "r"(c & 0xffffffu));
  return result;
}

static inline uint
colour_distance(uint a, uint b)
{
  uint result;
  asm("{ .reg .b32 d; mov.u32 d, 0; vabsdiff4.u32.u32.u32 d, %1, %2, d; and.b32 d, d, 0xffffff; dp4a.u32.u32 %0, d, d, "
      "0; }"
      : "=r"(result)
      : "r"(a), "r"(b));
  return result;
}
