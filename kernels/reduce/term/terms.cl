/* SPDX-License-Identifier: MIT */
/*
 * Adds a number x (ADD), its square (ADD_SQUARE) or another running sum (ADD_PAIR) to a running sum. SLOT is the number
 * of values that a sum consists of.
 *
 * SLOT 1, one value: exact for integers; sums of doubles are accurate because many lanes share the elements. SLOT 2, a
 * float and its error, for devices without double (two-sum after Knuth). A sum that is not finite has NaN as its error,
 * which the host ignores.
 */
#define ADD(T, t, x) JOIN_NAMES(ADD_, SLOT)(T, t, x)
#define ADD_SQUARE(T, t, x) JOIN_NAMES(ADD_SQUARE_, SLOT)(T, t, x)
#define ADD_PAIR(T, t, u) JOIN_NAMES(ADD_PAIR_, SLOT)(T, t, u)

#define ADD_1(T, t, x) (t)[0] += (x)
#define ADD_SQUARE_1(T, t, x) (t)[0] += (x) * (x)
#define ADD_PAIR_1(T, t, u) (t)[0] += (u)[0]

#define ADD_2(T, t, x)                                            \
  {                                                               \
    const T new_ = (x), old_ = (t)[0], sum_ = old_ + new_;        \
    const T part_ = sum_ - old_;                                  \
    (t)[1] += (old_ - (sum_ - part_)) + (new_ - part_);           \
    (t)[0] = sum_;                                                \
  }
#define ADD_SQUARE_2(T, t, x)                                     \
  {                                                               \
    const T root_ = (x), square_ = root_ * root_;                 \
    ADD_2(T, t, square_);                                         \
    (t)[1] += fma(root_, root_, -square_);                        \
  }
#define ADD_PAIR_2(T, t, u)                                       \
  {                                                               \
    ADD_2(T, t, (u)[0]);                                          \
    (t)[1] += (u)[1];                                             \
  }

/*
 * The terms of an operator. TERM converts an element into the number to add, unless the operator counts; the plan
 * names ELEMENTS or COUNT as NUMBERS. One of the macros FOLD_..., which it names as FOLD_TERMS, adds the number to the
 * TERMS running sums t of SLOT values each.
 */
#define ELEMENT(v) (v)
#define ELEMENTS_LANES(v) CONVERT(LANE)(TERM(v))
#define ELEMENTS_TOTAL(x) ((TOTAL)TERM(x))

/* The term of a count: one for each element that is not zero; NaN is not zero. */
#define COUNT_LANES(v) ONES(CONVERT(LANE)((v) != (vec_t)(0)))
#define COUNT_TOTAL(x) ((TOTAL)((x) != 0))

#define LANES_OF JOIN_NAMES(NUMBERS, _LANES)
#define TOTAL_OF JOIN_NAMES(NUMBERS, _TOTAL)

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
