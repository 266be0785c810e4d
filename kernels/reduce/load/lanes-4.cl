/* SPDX-License-Identifier: MIT */
/* Four elements a load. A comparison of vectors yields -1 in the lanes where it holds. */
#define WIDTH 4
#define WIDTH_SUFFIX 4
#define EACH_LANE(DO) DO(.s0, 0) DO(.s1, 1) DO(.s2, 2) DO(.s3, 3)
#define ONES(mask) (-(mask))
typedef VECTOR(ELEM) vec_t;
