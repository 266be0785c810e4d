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
