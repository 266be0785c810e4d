/* SPDX-License-Identifier: MIT */
/*
 * The means of eight pixels under the opencv rule: the product with the double reciprocal, half to even. The product
 * has to be rounded before it becomes an integer, hence no contraction. Adding 1.5 * 2^52 leaves the rounded value in
 * the low bits.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef double8 divisor_t;

static inline divisor_t
divisor_of(const int8 n)
{
  return 1.0 / convert_double8(n);
}

static inline int8
mean_of(const int8 sum, const divisor_t reciprocal)
{
  const double8 product = convert_double8(sum) * reciprocal;
  const double8 shifted = product + 6755399441055744.0;

  return convert_int8(as_long8(shifted));
}
