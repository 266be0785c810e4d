/* SPDX-License-Identifier: MIT */
/*
 * A row of samples: of the upper two windows, of the lower two, or of all four. The loops have constant bounds even
 * before the function is inlined, since compilers built on clang warn of loops that they cannot unroll at that point.
 */
static inline void
add_row(sums_t sums[4], const centre_t centres[4], __global const uint4 *record, const bool upper, const bool lower)
{
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    const samples_t samples = samples_of(record[STEP * q]);

#pragma unroll
    for (int k = 0; k < 4; k++)
      if (k < 2 ? upper : lower)
        add_quad(&sums[k], &centres[k], samples, q);
  }
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (k < 2 ? upper : lower) {
      end_row(&sums[k]);
      sums[k].y += sums[k].n;
    }
}
