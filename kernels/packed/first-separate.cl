/* SPDX-License-Identifier: MIT */
/*
 * The first iteration with the pixels of a block in variables of their own: compilers that place arrays before they
 * unroll loops keep those in memory. Twin of first-shift.cl.
 */
#define MODES_ARG JOIN_NAMES(MODES_ARG_, HAS_MODES)
#define MODES_ARG_0
#define MODES_ARG_1 , modes

typedef struct {
  state_t state;
  centre_t centre;
  sums_t sums;
  uint start;
  bool on;
} pixel_t;

/* The pixel at column `x` and row `row` of those held; work-items beyond the picture repeat its last pixels. */
static inline void
begin_pixel(pixel_t *self, __global const uint *source, const int4 image, const int x, const int row, const uint isr2,
            const uint offset)
{
  self->state.colour = source[(size_t)min(row, image.w - 1) * (size_t)image.x + (size_t)min(x, image.x - 1)];
  self->state.place = self->start = (uint)x | (uint)row << 16;
  self->sums = (sums_t){0, 0, 0, 0, 0, 0};
  set_centre(&self->centre, self->state.colour, isr2, offset, x, row + image.z);
}

/* Row `y` of the block's rows, in which the upper two windows or the lower two may have no samples. */
static inline void
add_rows(pixel_t *a, pixel_t *b, pixel_t *c, pixel_t *d, __global const uint4 *record, const int y)
{
  const bool upper = y < SIDE && has_row(&a->centre, y), lower = y > 0 && has_row(&c->centre, y - 1);

#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    const samples_t samples = samples_of(record[STEP * q]);

    if (upper) {
      add_quad(&a->sums, &a->centre, samples, q);
      add_quad(&b->sums, &b->centre, samples, q);
    }
    if (lower) {
      add_quad(&c->sums, &c->centre, samples, q);
      add_quad(&d->sums, &d->centre, samples, q);
    }
  }
  end_row(&a->sums);
  end_row(&b->sums);
  end_row(&c->sums);
  end_row(&d->sums);
  a->sums.y += y < SIDE ? a->sums.n : 0;
  b->sums.y += y < SIDE ? b->sums.n : 0;
  c->sums.y += y > 0 ? c->sums.n : 0;
  d->sums.y += y > 0 ? d->sums.n : 0;
}

/* Moves the pixel, which stays `on` where it has not converged, and writes it where it has. */
static inline void
end_pixel(pixel_t *self, __global uint *result, __global const reciprocal_t *reciprocals, const uint left,
          const int4 image, const int4 region, const int4 filter, const int2 to, const bool mine MODES_PARAM)
{
  self->on =
    !shift_to_mean(&self->state, &self->sums, reciprocals, left, (uint)image.z, filter.w) && mine && filter.z > 1;
  if (mine && !self->on) {
    const size_t at = (size_t)(to.y - region.y) * (size_t)region.z + (size_t)(to.x - region.x);

    result[at] = self->state.colour;
    STORE_MODE(at, self->state.place & 0xffffu, (self->state.place >> 16) + (uint)image.z);
  }
}

static inline void
list_pixel(const pixel_t *self, __global uint4 *moving, uint *to)
{
  if (self->on)
    moving[(*to)++] = (uint4)(self->state.colour, self->state.place, self->start, 0u);
}

__kernel void
mean_shift_first(__global const uint *source, __global uint *result, __global const uint4 *records,
                 __global const reciprocal_t *reciprocals, __global uint4 *moving, __global uint *counter,
                 const int4 image, const int pitch, const int4 region, const int4 band, const int4 filter,
                 __local uint *room MODES_PARAM)
{
  const int2 own = (int2)(band.x, band.y) + 2 * (int2)((int)get_global_id(0), (int)get_global_id(1));
  const int2 end = (int2)(band.x + band.z, band.y + band.w);
  /* Work-items beyond the band repeat its last pixels, and their results are discarded. */
  const int x = min(own.x, band.x + ((band.z - 1) & ~1)), row = min(own.y, end.y - 1) - image.z;
  const uint shift = (uint)shift_of(region.x), column = (uint)x + shift, offset = column % GRAIN;
  const uint left = column - offset - SP - shift, isr2 = (uint)filter.y;
  const bool right_is_mine = own.x + 1 < end.x, lower_is_mine = own.y + 1 < end.y;
  const bool mine = own.x < end.x && own.y < end.y;
  __global const uint4 *record = records + ((size_t)row * (size_t)pitch + (size_t)(column / GRAIN));
  pixel_t a, b, c, d;

  begin_pixel(&a, source, image, x, row, isr2, offset);
  begin_pixel(&b, source, image, x + 1, row, isr2, offset + 1);
  begin_pixel(&c, source, image, x, row + 1, isr2, offset);
  begin_pixel(&d, source, image, x + 1, row + 1, isr2, offset + 1);
  for (int y = 0; y <= SIDE; y++)
    add_rows(&a, &b, &c, &d, record + y * pitch, y);
  end_pixel(&a, result, reciprocals, left, image, region, filter, own, mine MODES_ARG);
  end_pixel(&b, result, reciprocals, left, image, region, filter, own + (int2)(1, 0), mine && right_is_mine MODES_ARG);
  end_pixel(&c, result, reciprocals, left, image, region, filter, own + (int2)(0, 1), mine && lower_is_mine MODES_ARG);
  end_pixel(&d, result, reciprocals, left, image, region, filter, own + (int2)(1, 1),
            mine && right_is_mine && lower_is_mine MODES_ARG);
  uint to = places_on_list(counter, room, (uint)a.on + (uint)b.on + (uint)c.on + (uint)d.on);
  list_pixel(&a, moving, &to);
  list_pixel(&b, moving, &to);
  list_pixel(&c, moving, &to);
  list_pixel(&d, moving, &to);
}
