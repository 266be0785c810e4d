/* SPDX-License-Identifier: MIT */
/* One running sum for each term: exact for integers; for doubles the many lanes make it pairwise enough. */
#define SLOT 1
#define ADD(T, t, x) (t)[0] += (x)
#define ADD_SQUARE(T, t, x) (t)[0] += (x) * (x)
#define ADD_PAIR(T, t, u) (t)[0] += (u)[0]
