/* SPDX-License-Identifier: MIT */
/* Where elements outside the range are counted, after the bins. */
#define BELOW 0
#define ABOVE 1
#define NOT_A_NUMBER 2
#define OUTSIDE 3
