/* SPDX-License-Identifier: MIT */
/* One element a load. A comparison of scalars yields 1 where it holds. */
#define WIDTH 1
#define WIDTH_SUFFIX
#define EACH_LANE(DO) DO(, 0)
#define ONES(mask) (mask)
typedef ELEM vec_t;
