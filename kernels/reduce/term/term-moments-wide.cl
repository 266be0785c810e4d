/* SPDX-License-Identifier: MIT */
/* What is added up: 32-bit integers, and the low and the high 32 bits of their squares. */
#define TERMS 3
#define LANES_OF(v) CONVERT(LANE)(v)
#define TOTAL_OF(x) ((TOTAL)(x))
#define FOLD_TERMS(T, t, x)                        \
  {                                                \
    const T whole_ = (x), wide_ = whole_ * whole_; \
    (t)[0] += whole_;                              \
    (t)[1] += wide_ & (T)(0xffffffff);             \
    (t)[2] += wide_ >> (T)(32);                    \
  }
