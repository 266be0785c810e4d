/* SPDX-License-Identifier: MIT */
/*
 * Sum and error of each term as a pair of floats (two-sum after Knuth), for devices without double. Once the sum is not
 * finite it stays so, and the host then ignores the error, which is NaN.
 */
#define SLOT 2
#define ADD(T, t, x)                                              \
  {                                                               \
    const T new_ = (x), old_ = (t)[0], sum_ = old_ + new_;        \
    const T part_ = sum_ - old_;                                  \
    (t)[1] += (old_ - (sum_ - part_)) + (new_ - part_);           \
    (t)[0] = sum_;                                                \
  }
#define ADD_SQUARE(T, t, x)                                       \
  {                                                               \
    const T root_ = (x), square_ = root_ * root_;                 \
    ADD(T, t, square_);                                           \
    (t)[1] += fma(root_, root_, -square_);                        \
  }
#define ADD_PAIR(T, t, u)                                         \
  {                                                               \
    ADD(T, t, (u)[0]);                                            \
    (t)[1] += (u)[1];                                             \
  }
