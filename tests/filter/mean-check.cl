/* SPDX-License-Identifier: MIT */
/*
 * Applies mean_of() to (relative sum, n, base, -) quadruples and leaves the mean in the fourth: what the tests compare.
 */
__kernel void
mean_check(__global int4 *samples)
{
  const size_t i = get_global_id(0);
  const int4 s = samples[i];

  samples[i].w = mean_of(s.x, s.y, s.z);
}
