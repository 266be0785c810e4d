/* SPDX-License-Identifier: MIT */
/* What is added up: the elements. */
#define TERMS 1
#define LANES_OF(v) CONVERT(LANE)(v)
#define TOTAL_OF(x) ((TOTAL)(x))
#define FOLD_TERMS(T, t, x) ADD(T, t, x)
