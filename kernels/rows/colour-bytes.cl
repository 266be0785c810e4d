/* SPDX-License-Identifier: MIT */
/*
 * Two planes of 16 bits: red and green as two signed bytes, less 128, and blue. Differences of bytes saturate, and one
 * instruction adds the squares of two, so that samples take as many instructions as in three planes, but two loads
 * instead of three and two thirds of the memory. Exact below a squared colour radius of 127 * 127, since a saturated
 * difference is 127 or more. For AVX-512. Twin of colour-words.cl.
 */
#define PLANES 2
#define LESS 128 /* what is subtracted from red and green */
#define FLIP_SIGNS 0x8080

typedef char bytes_t __attribute__((ext_vector_type(64)));

typedef struct {
  lanes_t pair;
  lanes_t c2;
} colour_t;

static inline bytes_t
bytes_of(const lanes_t v)
{
  return __builtin_astype(v, bytes_t);
}

/* The channels of samples as numbers that are summed, red and green less 128. */
typedef struct {
  lanes_t c0;
  lanes_t c1;
  lanes_t c2;
} values_t;

static inline void
store_planes(const uint16 v, __global ushort *plane, const int pitch)
{
  vstore16(convert_ushort16(v & 0xffffu) ^ (ushort)FLIP_SIGNS, 0, plane);
  vstore16(convert_ushort16(v >> 16 & BLUE_BITS), 0, plane + pitch);
}

static inline void
load_samples(colour_t *t, __global const ushort *p, const int pitch)
{
  t->pair = load_lanes(p);
  t->c2 = load_lanes(p + pitch);
}

/* Half the lanes from one row, half from another. */
static inline void
load_two_rows(colour_t *t, __global const ushort *p, __global const ushort *q, const int pitch)
{
  t->pair = load_half_lanes(p, q);
  t->c2 = load_half_lanes(p + pitch, q + pitch);
}

/* The pixel stored at `p`, red in the lowest bits. */
static inline uint
load_pixel(__global const ushort *p, const int pitch)
{
  return (p[0] ^ (uint)FLIP_SIGNS) | (uint)p[pitch] << 16;
}

static inline wide_t
pixels_of(const colour_t *t)
{
  return colour_bits((widen(t->pair) ^ (wide_t)(uint)FLIP_SIGNS) | widen(t->c2) << 16);
}

/* The same pixel in all lanes. */
static inline colour_t
colour_of(const uint pixel)
{
  return (colour_t){(lanes_t)(ushort)(pixel ^ FLIP_SIGNS), (lanes_t)(ushort)(pixel >> 16)};
}

/* In each lane the sum of two products, of an unsigned byte of `a` and a signed one of `b`. */
static inline lanes_t
add_products(const lanes_t a, const lanes_t b)
{
  return __builtin_astype(__builtin_ia32_pmaddubsw512(bytes_of(a), bytes_of(b)), lanes_t);
}

static inline values_t
values_of(const colour_t *t)
{
  const mask_t green = __builtin_astype(t->pair, mask_t) >> (mask_t)8;

  return (values_t){add_products((lanes_t)1, t->pair), __builtin_astype(green, lanes_t), t->c2};
}

/* The sum of `n` channels, red or green, from that of their values. */
static inline lanes_t
sum_of_values(const lanes_t sum, const lanes_t n)
{
  return sum + n * (lanes_t)LESS;
}

/* A difference of -128 has the absolute value 128 and as a signed factor -128: its sum exceeds the limit, unsigned. */
static inline mask_t
is_like(const colour_t *t, const colour_t *c, const limit_t limit)
{
  const bytes_t d = __builtin_elementwise_sub_sat(bytes_of(t->pair), bytes_of(c->pair));
  const lanes_t size = __builtin_astype(__builtin_elementwise_abs(d), lanes_t), d2 = t->c2 - c->c2;

  return (subtract_to_zero(limit, add_products(size, size)) > d2 * d2) & has_data(t->c2);
}
