/* SPDX-License-Identifier: MIT */
/* Means under the truncate rule, from a table of reciprocals. Twin of mean-reciprocal.cl. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/*
 * (sum + 1/2) / n is never an integer and has the floor of sum / n; minus one half, it rounds to that floor. It is at
 * least 1 / 2n from every tie, far more than the error of the product.
 */
static inline uint
mean_of(const uint sum, const double reciprocal)
{
  const double wide = as_double(0x4330000000000000ul | sum) - 4503599627370496.0;
  const double quotient = (wide + 0.5) * reciprocal - 0.5;

  return (uint)as_ulong(quotient + 6755399441055744.0);
}
