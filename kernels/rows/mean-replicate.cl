/* SPDX-License-Identifier: MIT */
/*
 * The means of eight pixels under the replicate rule: (int)((float)sum * (1.0f / n)). OpenCL permits an error of 2.5
 * ulp in a float quotient, so the reciprocal is computed in double and rounded to float; the double rounding is exact,
 * since 53 bits are more than twice 24.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef float8 divisor_t;

static inline divisor_t
divisor_of(const int8 n)
{
  return convert_float8(1.0 / convert_double8(max(n, (int8)1)));
}

static inline int8
mean_of(const int8 sum, const divisor_t reciprocal)
{
  return convert_int8(convert_float8(sum) * reciprocal);
}
