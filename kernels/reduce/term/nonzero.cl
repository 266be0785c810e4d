/* SPDX-License-Identifier: MIT */
/* The term of a count: one for each element that is not zero; NaN is not zero. Twin of terms.cl. */
#define LANES_OF(v) ONES(CONVERT(LANE)((v) != (vec_t)(0)))
#define TOTAL_OF(x) ((TOTAL)((x) != 0))
#define FOLD_VALUES(T, t, x) ADD(T, t, x)
