/* SPDX-License-Identifier: MIT */
/*
 * Means under the opencv rule from a table of reciprocals: the product in double precision, then to the nearest, ties
 * to even.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* Setting the bits of 2^52 + sum saves a conversion; after adding 1.5 * 2^52 the lowest bits are the rounded number. */
static inline uint
mean_of(const uint sum, const double reciprocal)
{
  const double wide = as_double(0x4330000000000000ul | sum) - 4503599627370496.0;
  const double quotient = wide * reciprocal;

  return (uint)as_ulong(quotient + 6755399441055744.0);
}
