/* SPDX-License-Identifier: MIT */
/*
 * The sums of one window, four samples at a time: a colour's squared distance from the centre minus the squared `sr` is
 * negative for the samples to add, four such signs make a mask of bytes, and a product of four bytes with four bytes
 * sums the selected samples. A mask is -1 for a selected sample, so all sums are negative. Twin of samples-floats.cl.
 */
typedef struct {
  int n;
  int r;
  int g;
  int b;
  int x; /* columns from the first of the window's first record */
  int y; /* rows, counted back from the one below the window */
} sums_t;

/* The colour of a window's centre, and the start value that makes distances within `sr` negative. */
typedef struct {
  uint word;
  uint bias;
} colour_t;

/* Four samples side by side: each pixel in a word, and each channel of all four. */
typedef struct {
  uint4 pixels;
  uint4 planes;
} samples_t;

static inline samples_t
samples_of(const uint4 pixels)
{
  const samples_t samples = {pixels, planes_of(pixels)};

  return samples;
}

static inline void
set_colour(colour_t *self, const uint colour, const uint isr2)
{
  self->word = colour & 0xffffffu;
  self->bias = ~isr2;
}

/* Quad `q` of a row; `inside` has the bytes of the samples in the window. */
static inline void
add_samples(sums_t *sums, const colour_t *centre, const samples_t samples, const int q, const uint inside)
{
  const uint4 pixels = samples.pixels, planes = samples.planes;
  const uint mask = signs(square_distance(pixels.x, centre->word, centre->bias),
                          square_distance(pixels.y, centre->word, centre->bias),
                          square_distance(pixels.z, centre->word, centre->bias),
                          square_distance(pixels.w, centre->word, centre->bias)) &
                    inside;

  sums->n = take_bytes(mask, 0x01010101u, sums->n);
  sums->x = take_bytes(mask, 0x03020100u + 0x04040404u * (uint)q, sums->x);
  sums->r = take_bytes(mask, planes.x, sums->r);
  sums->g = take_bytes(mask, planes.y, sums->g);
  sums->b = take_bytes(mask, planes.z, sums->b);
}

/* After the last quad of a row: nothing is left to add. */
static inline void
end_row(sums_t *sums)
{
}
