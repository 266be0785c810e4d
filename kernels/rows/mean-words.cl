/* SPDX-License-Identifier: MIT */
/* The means of eight pixels on devices without doubles. Twin of mean.cl. */
#define divisor_of JOIN_NAMES(divisor_of_, MEAN)
#define mean_of JOIN_NAMES(mean_of_, MEAN)

/* `value` is about 1 / n, under the replicate rule to the nearest float; `error` is that of the opencv rule. */
typedef struct {
  int8 n;
  int8 error;
  float8 value;
} divisor_t;

static inline divisor_t
divisor_of_truncate(const int8 sampled)
{
  const int8 n = max(sampled, (int8)1);

  return (divisor_t){n, (int8)0, 1.0f / convert_float8(n)};
}

static inline int8
mean_of_truncate(const int8 sum, const divisor_t divisor)
{
  return floor_of(sum, divisor.n, divisor.value);
}

static inline divisor_t
divisor_of_opencv(const int8 sampled)
{
  divisor_t self = divisor_of_truncate(sampled);

  self.error = error_of(self.n, self.value);
  return self;
}

static inline int8
mean_of_opencv(const int8 sum, const divisor_t divisor)
{
  return nearest_of(sum, divisor.n, divisor.value, divisor.error);
}

/*
 * replicate: OpenCL permits an error of 2.5 ulp in a float quotient, so its mantissa, the number nearest to
 * 2^(23 + l) / n, is corrected by its own error in integers.
 */
static inline divisor_t
divisor_of_replicate(const int8 sampled)
{
  divisor_t self = divisor_of_truncate(sampled);
  const int8 power = power_in(2 * self.n - 1);
  const float8 scale = convert_float8(power) * 8388608.0f;
  const int8 mantissa = convert_int8(self.value * scale);
  const uint8 error = as_uint8(mantissa) * as_uint8(self.n) - (as_uint8(power) << 23);
  const float8 excess = convert_float8(as_int8(error)) * self.value;

  /* Multiplied by the reciprocal of a power of two, which is exact. */
  self.value = convert_float8(mantissa - convert_int8(rint(excess))) * as_float8((254 << 23) - as_int8(scale));
  return self;
}

static inline int8
mean_of_replicate(const int8 sum, const divisor_t divisor)
{
  return convert_int8(convert_float8(sum) * divisor.value);
}
