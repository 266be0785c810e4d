/* SPDX-License-Identifier: MIT */
/*
 * What is added up: the elements' distances from `centre` and their squares. About zero, the difference of the two
 * sums that the deviation is would lose all digits where the mean is large beside it.
 */
#define TERMS 2
#define LANES_OF(v) CONVERT(LANE)(v)
#define TOTAL_OF(x) ((TOTAL)(x))
#define FOLD_TERMS(T, t, x)                  \
  {                                          \
    const T value_ = (x) - (T)(centre);      \
    ADD(T, t, value_);                       \
    ADD_SQUARE(T, (t) + SLOT, value_);       \
  }
