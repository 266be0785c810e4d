/* SPDX-License-Identifier: MIT */
/*
 * The sums of eight windows, lane by lane. SUMS_TYPE and FOLD_SUMS are lanes_t and fold_lanes() where sums of lanes fit
 * 16 bits, halves_t and fold_halves() where they take 32.
 */
typedef struct {
  SUMS_TYPE n[8];
  SUMS_TYPE sx[8];
  SUMS_TYPE sy[8];
  SUMS_TYPE s0[8];
  SUMS_TYPE s1[8];
  SUMS_TYPE s2[8];
} windows_t;

static inline void
add_up(totals_t *t, const windows_t *windows)
{
  t->n = FOLD_SUMS(windows->n);
  t->sx = FOLD_SUMS(windows->sx);
  t->sy = FOLD_SUMS(windows->sy);
  t->s0 = FOLD_SUMS(windows->s0);
  t->s1 = FOLD_SUMS(windows->s1);
  t->s2 = FOLD_SUMS(windows->s2);
}
