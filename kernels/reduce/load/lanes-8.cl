/* SPDX-License-Identifier: MIT */
/* Eight elements a load. A comparison of vectors yields -1 in the lanes where it holds. */
#define WIDTH 8
#define WIDTH_SUFFIX 8
#define EACH_LANE(DO) \
  DO(.s0, 0) DO(.s1, 1) DO(.s2, 2) DO(.s3, 3) DO(.s4, 4) DO(.s5, 5) DO(.s6, 6) DO(.s7, 7)
#define ONES(mask) (-(mask))
typedef VECTOR(ELEM) vec_t;
