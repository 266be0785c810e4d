/* SPDX-License-Identifier: MIT */
/* A plane of 16 bits for each channel. Twin of colour-bytes.cl. */
#define PLANES 3

typedef struct {
  lanes_t c0;
  lanes_t c1;
  lanes_t c2;
} colour_t;

/* The channels of samples as numbers that are summed. */
typedef colour_t values_t;

static inline void
store_planes(const uint16 v, __global ushort *plane, const int pitch)
{
  vstore16(convert_ushort16(v & 255u), 0, plane);
  vstore16(convert_ushort16(v >> 8 & 255u), 0, plane + pitch);
  vstore16(convert_ushort16(v >> 16 & BLUE_BITS), 0, plane + 2 * pitch);
}

static inline void
load_samples(colour_t *t, __global const ushort *p, const int pitch)
{
  t->c0 = load_lanes(p);
  t->c1 = load_lanes(p + pitch);
  t->c2 = load_lanes(p + 2 * pitch);
}

/* Half the lanes from one row, half from another. */
static inline void
load_two_rows(colour_t *t, __global const ushort *p, __global const ushort *q, const int pitch)
{
  t->c0 = load_half_lanes(p, q);
  t->c1 = load_half_lanes(p + pitch, q + pitch);
  t->c2 = load_half_lanes(p + 2 * pitch, q + 2 * pitch);
}

/* The pixel stored at `p`, red in the lowest bits. */
static inline uint
load_pixel(__global const ushort *p, const int pitch)
{
  return p[0] | (uint)p[pitch] << 8 | (uint)p[2 * pitch] << 16;
}

static inline wide_t
pixels_of(const colour_t *t)
{
  return colour_bits(widen(t->c0) | widen(t->c1) << 8 | widen(t->c2) << 16);
}

/* The same pixel in all lanes. */
static inline colour_t
colour_of(const uint pixel)
{
  return (colour_t){(lanes_t)(ushort)(pixel & 255u), (lanes_t)(ushort)(pixel >> 8 & 255u),
                    (lanes_t)(ushort)(pixel >> 16)};
}

static inline values_t
values_of(const colour_t *t)
{
  return *t;
}

/* The sum of `n` channels from that of their values. */
static inline lanes_t
sum_of_values(const lanes_t sum, const lanes_t n)
{
  return sum;
}

static inline mask_t
is_like(const colour_t *t, const colour_t *c, const limit_t limit)
{
  const lanes_t d0 = t->c0 - c->c0, d1 = t->c1 - c->c1, d2 = t->c2 - c->c2;

  return within(d0 * d0, d1 * d1, d2 * d2, limit) & has_data(t->c2);
}
