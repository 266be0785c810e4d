/* SPDX-License-Identifier: MIT */
/* What is added up: the squares. */
#define TERMS 1
#define LANES_OF(v) CONVERT(LANE)(v)
#define TOTAL_OF(x) ((TOTAL)(x))
#define ADD_SUMS(t, sum, squares) (t)[0] += (squares)
#define FOLD_TERMS(T, t, x) ADD_SQUARE(T, t, x)
