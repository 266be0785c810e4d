/* SPDX-License-Identifier: MIT */
/* A kernel that uses all of lanes-32.cl, built once for a device to find out whether its compiler supports it. */
__kernel void
probe_lanes(__global const ushort *p, __global int8 *out)
{
  lanes_t v[8];
  halves_t w[8];

  for (int i = 0; i < 8; i++) {
    const lanes_t a = load_lanes(p + i);
    const mask_t m = narrow_mask(widen(a) > (wide_t)7u);

    v[i] = m ? subtract_to_zero(a, load_half_lanes(p, p + 1)) : LANE_INDEX;
    w[i] = add_pairs(v[i]);
  }
  out[get_global_id(0)] = fold_lanes(v) + fold_halves(w);
}
