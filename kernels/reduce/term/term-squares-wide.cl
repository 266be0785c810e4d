/* SPDX-License-Identifier: MIT */
/*
 * What is added up: the low and the high 32 bits of the squares of 32-bit integers, apart, so that neither sum
 * overflows.
 */
#define TERMS 2
#define LANES_OF(v) CONVERT(LANE)(v)
#define TOTAL_OF(x) ((TOTAL)(x))
#define FOLD_TERMS(T, t, x)                        \
  {                                                \
    const T whole_ = (x), wide_ = whole_ * whole_; \
    (t)[0] += wide_ & (T)(0xffffffff);             \
    (t)[1] += wide_ >> (T)(32);                    \
  }
