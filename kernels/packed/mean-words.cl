/* SPDX-License-Identifier: MIT */
/* Means from a table of reciprocals in words. Twin of mean-reciprocal.cl. */
typedef struct {
  float value;
  short error;
  ushort n;
} reciprocal_t;

static inline reciprocal_t
reciprocal_of(const int n)
{
  const float value = 1.0f / (float)max(n, 1);

  return (reciprocal_t){value, (short)error_of(max(n, 1), value), (ushort)max(n, 1)};
}

static inline uint
mean_of(const uint sum, const reciprocal_t q)
{
  return (uint)(TRUNCATES ? floor_of((int)sum, q.n, q.value) : nearest_of((int)sum, q.n, q.value, q.error));
}
