/* SPDX-License-Identifier: MIT */
/*
 * Means from a table of reciprocals, in double precision. Twin of packed/mean-words.cl. Under the opencv rule it is the
 * product, to the nearest, ties to even. Where TRUNCATES is 1, (sum + 1/2) / n, which is never an integer and has the
 * floor of sum / n, less one half, so that it rounds to that floor: it is at least 1 / 2n from every tie, far more than
 * the error of the product.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef double reciprocal_t;

static inline double
reciprocal_of(const int n)
{
  return n > 0 ? 1.0 / (double)n : 0.0;
}

/* Setting the bits of 2^52 + sum saves a conversion; after adding 1.5 * 2^52 the lowest bits are the rounded number. */
static inline uint
mean_of(const uint sum, const double reciprocal)
{
  const double wide = as_double(0x4330000000000000ul | sum) - 4503599627370496.0;
  const double quotient = TRUNCATES ? (wide + 0.5) * reciprocal - 0.5 : wide * reciprocal;

  return (uint)as_ulong(quotient + 6755399441055744.0);
}
