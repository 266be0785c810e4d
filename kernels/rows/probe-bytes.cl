/* SPDX-License-Identifier: MIT */
/* A kernel that uses the instructions of colour-bytes.cl, as probe-lanes.cl does those of lanes-32.cl. */
__kernel void
probe_bytes(__global const ushort *p, __global ushort *out)
{
  colour_t t, c;

  load_samples(&t, p, LANES);
  load_two_rows(&c, p, p + LANES, LANES);
  const values_t v = values_of(&t);
  const mask_t m = is_like(&t, &c, limit_of((int)get_global_id(0)));
  const lanes_t sum = m ? sum_of_values(v.c0 + v.c1, v.c2) : (lanes_t)0;

  vstore16(sum.lo, 0, out);
  vstore16(sum.hi, 1, out);
}
