/* SPDX-License-Identifier: MIT */
/* What is added up: whole elements and their squares, for mean and standard deviation in one pass. */
#define TERMS 2
#define LANES_OF(v) CONVERT(LANE)(v)
#define TOTAL_OF(x) ((TOTAL)(x))
#define ADD_SUMS(t, sum, squares) \
  {                               \
    (t)[0] += (sum);              \
    (t)[1] += (squares);          \
  }
#define FOLD_TERMS(T, t, x)              \
  {                                      \
    const T value_ = (x);                \
    ADD(T, t, value_);                   \
    ADD_SQUARE(T, (t) + SLOT, value_);   \
  }
