/* SPDX-License-Identifier: MIT */
/*
 * Thirty-two lanes of 16 bits: clang's own vectors, for runtimes built on it with 512-bit registers. Twin of
 * lanes-16.cl.
 */
#define LANES 32

typedef ushort lanes_t __attribute__((ext_vector_type(32)));
typedef short mask_t __attribute__((ext_vector_type(32)));
typedef uint wide_t __attribute__((ext_vector_type(32)));
typedef int wide_mask_t __attribute__((ext_vector_type(32)));
typedef uint16 halves_t;

/* The same vector at the address of any element. */
typedef ushort loose_lanes_t __attribute__((ext_vector_type(32), aligned(2)));

#define LANE_INDEX                                                                                           \
  ((lanes_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,   \
             26, 27, 28, 29, 30, 31))

static inline lanes_t
load_lanes(__global const ushort *p)
{
  return *(__global const loose_lanes_t *)p;
}

/* Half the lanes from one row, half from another. */
static inline lanes_t
load_half_lanes(__global const ushort *p, __global const ushort *q)
{
  return (lanes_t)(vload16(0, p), vload16(0, q));
}

static inline wide_t
widen(const lanes_t v)
{
  return __builtin_convertvector(v, wide_t);
}

static inline mask_t
narrow_mask(const wide_mask_t m)
{
  return __builtin_convertvector(m, mask_t);
}

/* a - b, or 0 where b is larger. */
static inline lanes_t
subtract_to_zero(const lanes_t a, const lanes_t b)
{
  return (a > b ? a : b) - b;
}

/* Sums of neighbouring lanes, in 32 bits. */
static inline halves_t
add_pairs(const lanes_t v)
{
  const halves_t w = as_uint16(v);

  return (w & 0xffffu) + (w >> 16);
}

/* Eight partly summed vectors, one for each pixel, with eight lanes of each. */
typedef struct {
  lanes_t even; /* pixels 0 2 4 6 */
  lanes_t odd;  /* pixels 1 3 5 7 */
} folded_t;

/* Each shuffle below is one instruction of 512 bits: it moves blocks of 256, 128 and 64 bits. */
static inline lanes_t
low_eights(const lanes_t a, const lanes_t b)
{
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 32, 33, 34, 35,
                                 36, 37, 38, 39, 48, 49, 50, 51, 52, 53, 54, 55);
}

static inline lanes_t
high_eights(const lanes_t a, const lanes_t b)
{
  return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31, 40, 41,
                                 42, 43, 44, 45, 46, 47, 56, 57, 58, 59, 60, 61, 62, 63);
}

static inline lanes_t
low_fours(const lanes_t a, const lanes_t b)
{
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 32, 33, 34, 35, 8, 9, 10, 11, 40, 41, 42, 43, 16, 17, 18,
                                 19, 48, 49, 50, 51, 24, 25, 26, 27, 56, 57, 58, 59);
}

static inline lanes_t
high_fours(const lanes_t a, const lanes_t b)
{
  return __builtin_shufflevector(a, b, 4, 5, 6, 7, 36, 37, 38, 39, 12, 13, 14, 15, 44, 45, 46, 47, 20, 21, 22,
                                 23, 52, 53, 54, 55, 28, 29, 30, 31, 60, 61, 62, 63);
}

static inline lanes_t
fold_four_pixels(const lanes_t *v)
{
  const lanes_t a = (lanes_t)(v[0].lo, v[2].lo) + (lanes_t)(v[0].hi, v[2].hi);
  const lanes_t b = (lanes_t)(v[4].lo, v[6].lo) + (lanes_t)(v[4].hi, v[6].hi);

  return low_eights(a, b) + high_eights(a, b);
}

/* Adds the remaining lanes: pairs in 16 bits, which then hold eight lanes each, the rest in 32. */
static inline int8
fold_rest(const folded_t *folded)
{
  const halves_t w = add_pairs(low_fours(folded->even, folded->odd) + high_fours(folded->even, folded->odd));
  const ulong8 pairs = as_ulong8(w);

  return as_int8(convert_uint8(pairs + (pairs >> 32)));
}

/* The eight sums of partly summed vectors of 32 bits, of the pixels 0 2 4 6 and of the pixels 1 3 5 7. */
static inline int8
fold_rest_of_halves(const halves_t e, const halves_t o)
{
  const uint16 w = (uint16)(e.s01, o.s01, e.s45, o.s45, e.s89, o.s89, e.scd, o.scd) +
                   (uint16)(e.s23, o.s23, e.s67, o.s67, e.sab, o.sab, e.sef, o.sef);

  return as_int8(w.even + w.odd);
}
