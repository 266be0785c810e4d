/* SPDX-License-Identifier: MIT */
/* Sixteen elements a load. A comparison of vectors yields -1 in the lanes where it holds. */
#define WIDTH 16
#define WIDTH_SUFFIX 16
#define EACH_LANE(DO) \
  DO(.s0, 0) DO(.s1, 1) DO(.s2, 2) DO(.s3, 3) DO(.s4, 4) DO(.s5, 5) DO(.s6, 6) DO(.s7, 7) \
  DO(.s8, 8) DO(.s9, 9) DO(.sa, 10) DO(.sb, 11) DO(.sc, 12) DO(.sd, 13) DO(.se, 14) DO(.sf, 15)
#define ONES(mask) (-(mask))
typedef VECTOR(ELEM) vec_t;
