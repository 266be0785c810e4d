/* SPDX-License-Identifier: MIT */
/*
 * The means of eight pixels, in doubles. Twin of mean-words.cl. The plan names the functions of a rule as MEAN;
 * products have to be rounded before they become integers, hence no contraction.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define divisor_t JOIN_NAMES(divisor_, MEAN)
#define divisor_of JOIN_NAMES(divisor_of_, MEAN)
#define mean_of JOIN_NAMES(mean_of_, MEAN)

typedef double8 divisor_opencv;
typedef float8 divisor_replicate;
typedef double8 divisor_truncate;

/* opencv: the product with the double reciprocal, half to even. */
static inline double8
divisor_of_opencv(const int8 n)
{
  return 1.0 / convert_double8(n);
}

/* Adding 1.5 * 2^52 leaves the rounded value in the low bits. */
static inline int8
mean_of_opencv(const int8 sum, const double8 reciprocal)
{
  const double8 product = convert_double8(sum) * reciprocal;
  const double8 shifted = product + 6755399441055744.0;

  return convert_int8(as_long8(shifted));
}

/*
 * replicate: (int)((float)sum * (1.0f / n)). OpenCL permits an error of 2.5 ulp in a float quotient, so the reciprocal
 * is computed in double and rounded to float; the double rounding is exact, since 53 bits are more than twice 24.
 */
static inline float8
divisor_of_replicate(const int8 n)
{
  return convert_float8(1.0 / convert_double8(max(n, (int8)1)));
}

static inline int8
mean_of_replicate(const int8 sum, const float8 reciprocal)
{
  return convert_int8(convert_float8(sum) * reciprocal);
}

/* truncate: a double quotient of integers below 2^31 never rounds up to an integer, so its truncation is the answer. */
static inline double8
divisor_of_truncate(const int8 n)
{
  return convert_double8(max(n, (int8)1));
}

static inline int8
mean_of_truncate(const int8 sum, const double8 n)
{
  return convert_int8(convert_double8(sum) / n);
}
