/* SPDX-License-Identifier: MIT */
/*
 * The terms of an operator. TERM converts an element into the number to add; one of the macros FOLD_..., which the plan
 * names as FOLD_TERMS, adds it to the TERMS running sums t of SLOT values each.
 */
#define ELEMENT(v) (v)
#define LANES_OF(v) CONVERT(LANE)(TERM(v))
#define TOTAL_OF(x) ((TOTAL)TERM(x))

/* The number itself. */
#define FOLD_VALUES(T, t, x) ADD(T, t, x)

/* Its square. */
#define FOLD_SQUARES(T, t, x) ADD_SQUARE(T, t, x)

/* Its square in halves of 32 bits, summed separately, so that squares of 32-bit integers do not overflow. */
#define FOLD_SQUARES_WIDE(T, t, x)                 \
  {                                                \
    const T whole_ = (x), wide_ = whole_ * whole_; \
    (t)[0] += wide_ & (T)(0xffffffff);             \
    (t)[1] += wide_ >> (T)(32);                    \
  }

/* The number and its square, for mean and standard deviation in one pass. */
#define FOLD_MOMENTS(T, t, x)              \
  {                                        \
    const T value_ = (x);                  \
    ADD(T, t, value_);                     \
    ADD_SQUARE(T, (t) + SLOT, value_);     \
  }
#define FOLD_MOMENTS_WIDE(T, t, x)         \
  {                                        \
    const T number_ = (x);                 \
    (t)[0] += number_;                     \
    FOLD_SQUARES_WIDE(T, (t) + 1, number_) \
  }

/*
 * The distance from `centre` and its square. Taken about zero, a deviation much smaller than the mean would be lost by
 * cancellation.
 */
#define FOLD_MOMENTS_ABOUT_CENTRE(T, t, x) FOLD_MOMENTS(T, t, (x) - (T)(centre))
