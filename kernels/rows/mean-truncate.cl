/* SPDX-License-Identifier: MIT */
/*
 * The means of eight pixels under the truncate rule. A double quotient of integers below 2^31 never rounds up to an
 * integer, so its truncation is the integer quotient.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef double8 divisor_t;

static inline divisor_t
divisor_of(const int8 n)
{
  return convert_double8(max(n, (int8)1));
}

static inline int8
mean_of(const int8 sum, const divisor_t n)
{
  return convert_int8(convert_double8(sum) / n);
}
