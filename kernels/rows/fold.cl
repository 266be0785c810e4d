/* SPDX-License-Identifier: MIT */
/* Sums the lanes of eight vectors with the same shuffles. */

/* Adds four lanes into each, in 16 bits. */
static inline void
fold(folded_t *folded, const lanes_t *v)
{
  folded->even = fold_four_pixels(v);
  folded->odd = fold_four_pixels(v + 1);
}

/* The eight sums of eight vectors of 16 bits. */
static inline int8
fold_lanes(const lanes_t *v)
{
  folded_t folded;

  fold(&folded, v);
  return fold_rest(&folded);
}

static inline halves_t
fold_four_halves(const halves_t *v)
{
  const halves_t a = (halves_t)(v[0].lo, v[2].lo) + (halves_t)(v[0].hi, v[2].hi);
  const halves_t b = (halves_t)(v[4].lo, v[6].lo) + (halves_t)(v[4].hi, v[6].hi);

  return (halves_t)(a.lo.lo, a.hi.lo, b.lo.lo, b.hi.lo) + (halves_t)(a.lo.hi, a.hi.hi, b.lo.hi, b.hi.hi);
}

/* The eight sums of eight vectors of 32 bits. */
static inline int8
fold_halves(const halves_t *v)
{
  return fold_rest_of_halves(fold_four_halves(v), fold_four_halves(v + 1));
}
