/* SPDX-License-Identifier: MIT */
/* Twin of mean-check.cl for means from a table of reciprocals. */
__kernel void
mean_check(__global int4 *samples)
{
  const size_t i = get_global_id(0);
  const int4 s = samples[i];

  samples[i].w = (int)mean_of((uint)(s.x + s.y * s.z), reciprocal_of(s.y));
}
