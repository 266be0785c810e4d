/* SPDX-License-Identifier: MIT */
/* Twin of mean-check.cl for means of eight pixels. */
__kernel void
mean_check(__global int4 *samples)
{
  const size_t i = get_global_id(0);
  const int4 s = samples[i];
  const int8 means = mean_of((int8)(s.x + s.y * s.z), divisor_of((int8)(s.y)));

  samples[i].w = all(means == means.s0) ? means.s0 : -1;
}
