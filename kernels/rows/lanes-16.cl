/* SPDX-License-Identifier: MIT */
/* Sixteen lanes of 16 bits: the widest vectors of OpenCL C, for every device. Twin of lanes-32.cl. */
#define LANES 16

typedef ushort16 lanes_t;
typedef short16 mask_t;
typedef uint16 wide_t;
typedef int16 wide_mask_t;
typedef uint8 halves_t;

#define LANE_INDEX ((lanes_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

static inline lanes_t
load_lanes(__global const ushort *p)
{
  return vload16(0, p);
}

/* Half the lanes from one row, half from another. */
static inline lanes_t
load_half_lanes(__global const ushort *p, __global const ushort *q)
{
  return (lanes_t)(vload8(0, p), vload8(0, q));
}

static inline wide_t
widen(const lanes_t v)
{
  return convert_uint16(v);
}

static inline mask_t
narrow_mask(const wide_mask_t m)
{
  return convert_short16(m);
}

/* a - b, or 0 where b is larger. */
static inline lanes_t
subtract_to_zero(const lanes_t a, const lanes_t b)
{
  return sub_sat(a, b);
}

/* Sums of neighbouring lanes, in 32 bits. */
static inline halves_t
add_pairs(const lanes_t v)
{
  const halves_t w = as_uint8(v);

  return (w & 0xffffu) + (w >> 16);
}

/* Eight partly summed vectors, one for each pixel, with four lanes of each. */
typedef struct {
  lanes_t even; /* pixels 0 2 4 6 */
  lanes_t odd;  /* pixels 1 3 5 7 */
} folded_t;

static inline lanes_t
fold_four_pixels(const lanes_t *v)
{
  const lanes_t a = (lanes_t)(v[0].lo, v[2].lo) + (lanes_t)(v[0].hi, v[2].hi);
  const lanes_t b = (lanes_t)(v[4].lo, v[6].lo) + (lanes_t)(v[4].hi, v[6].hi);

  return (lanes_t)(a.s0123, a.s89ab, b.s0123, b.s89ab) + (lanes_t)(a.s4567, a.scdef, b.s4567, b.scdef);
}

/* Adds the remaining lanes: pairs in 16 bits, which then hold eight lanes each, the rest in 32. */
static inline int8
fold_rest(const folded_t *folded)
{
  const lanes_t e = folded->even, o = folded->odd;
  const lanes_t low = (lanes_t)(e.s01, o.s01, e.s45, o.s45, e.s89, o.s89, e.scd, o.scd);
  const lanes_t high = (lanes_t)(e.s23, o.s23, e.s67, o.s67, e.sab, o.sab, e.sef, o.sef);

  return as_int8(add_pairs(low + high));
}

/* The eight sums of partly summed vectors of 32 bits, of the pixels 0 2 4 6 and of the pixels 1 3 5 7. */
static inline int8
fold_rest_of_halves(const halves_t e, const halves_t o)
{
  return as_int8((uint8)(e.s0, o.s0, e.s2, o.s2, e.s4, o.s4, e.s6, o.s6) +
                 (uint8)(e.s1, o.s1, e.s3, o.s3, e.s5, o.s5, e.s7, o.s7));
}
