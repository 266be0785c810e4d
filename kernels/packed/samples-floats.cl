/* SPDX-License-Identifier: MIT */
/*
 * The sums of one window on devices without instructions for bytes. A sample t is within `sr` of the centre c where
 * 2 t c - t t is at least c c - sr sr: three products in single precision, exact since all are whole numbers below
 * 2^24. Two words sum a row, red and blue in one, green and the number in the other, which is faster than five floats.
 * Sums are negative, as in the twin samples-bytes.cl.
 */
typedef struct {
  int n;
  int r;
  int g;
  int b;
  int x; /* columns from the first of the window's first record */
  int y; /* rows, counted back from the one below the window */
  uint red_blue;
  uint green_number;
  int across; /* the row's share of `x` */
} sums_t;

/* Twice the colour of a window's centre, and the least value of samples within `sr`. */
typedef struct {
  float r;
  float g;
  float b;
  float least;
} colour_t;

/* Four samples side by side, by channel; `square` is the sum of the squares, or huge for one that never counts. */
typedef struct {
  float4 r;
  float4 g;
  float4 b;
  float4 square;
  uint4 red_blue;
  uint4 green_number;
} samples_t;

/* Bytes in single precision: 2^23 plus a byte has the byte as its last bits. */
#define TWO_TO_23 8388608.0f

static inline float4
floats_of(const uint4 bytes)
{
  return as_float4(bytes | 0x4b000000u) - TWO_TO_23;
}

/* The fourth byte, 255 where a sample never counts and else 0, makes a float of 10^38 or 0. */
static inline samples_t
samples_of(const uint4 pixels)
{
  const float4 r = floats_of(pixels & 255u), g = floats_of(pixels >> 8 & 255u), b = floats_of(pixels >> 16 & 255u);
  const float4 square = r * r + (g * g + (b * b + as_float4(pixels & 0x7f000000u)));
  const samples_t samples = {r, g, b, square, pixels & 0xff00ffu, (pixels >> 8 & 255u) | 0x10000u};

  return samples;
}

static inline void
set_colour(colour_t *self, const uint colour, const uint isr2)
{
  const int r = (int)(colour & 255u), g = (int)(colour >> 8 & 255u), b = (int)(colour >> 16 & 255u);

  self->r = (float)(2 * r);
  self->g = (float)(2 * g);
  self->b = (float)(2 * b);
  self->least = (float)(r * r + g * g + b * b - (int)isr2);
}

static inline void
add_sample(sums_t *sums, const colour_t *centre, const float r, const float g, const float b, const float square,
           const uint red_blue, const uint green_number, const int column, const bool inside)
{
  const bool counts = b * centre->b + (g * centre->g + (r * centre->r - square)) >= centre->least && inside;

  sums->red_blue += counts ? red_blue : 0u;
  sums->green_number += counts ? green_number : 0u;
  sums->across += counts ? column : 0;
}

/* Quad `q` of a row; `inside` has the bytes of the samples in the window. */
static inline void
add_samples(sums_t *sums, const colour_t *centre, const samples_t s, const int q, const uint inside)
{
  add_sample(sums, centre, s.r.x, s.g.x, s.b.x, s.square.x, s.red_blue.x, s.green_number.x, 4 * q,
             inside & 0xffu);
  add_sample(sums, centre, s.r.y, s.g.y, s.b.y, s.square.y, s.red_blue.y, s.green_number.y, 4 * q + 1,
             inside & 0xff00u);
  add_sample(sums, centre, s.r.z, s.g.z, s.b.z, s.square.z, s.red_blue.z, s.green_number.z, 4 * q + 2,
             inside & 0xff0000u);
  add_sample(sums, centre, s.r.w, s.g.w, s.b.w, s.square.w, s.red_blue.w, s.green_number.w, 4 * q + 3,
             inside >> 24);
}

/* After the last quad of a row, before a half of a word can overflow: a row has at most 132 samples. */
static inline void
end_row(sums_t *sums)
{
  sums->r -= (int)(sums->red_blue & 0xffffu);
  sums->b -= (int)(sums->red_blue >> 16);
  sums->g -= (int)(sums->green_number & 0xffffu);
  sums->n -= (int)(sums->green_number >> 16);
  sums->x -= sums->across;
  sums->red_blue = sums->green_number = 0u;
  sums->across = 0;
}
