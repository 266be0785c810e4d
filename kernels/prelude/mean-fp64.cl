/* SPDX-License-Identifier: MIT */
/*
 * The opencv rule on devices with doubles: the product with the rounded reciprocal, as in OpenCV, which differs from
 * the rounded quotient on exact ties. The sum is exact in a double, so the order of summation does not matter.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline int
mean_of(const int relative, const int n, const int base)
{
  const double reciprocal = 1.0 / (double)n;
  const double sum = (double)relative + (double)n * (double)base;

  return (int)rint(sum * reciprocal);
}
