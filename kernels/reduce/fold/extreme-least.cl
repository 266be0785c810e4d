/* SPDX-License-Identifier: MIT */
/* The least of the elements. Twin of extreme-greatest.cl. */
#define PICK(x, y) LESSER(x, y)
#define END HIGHEST
#define EACH_EXTREME(a, LOW, HIGH) LOW(0, (a)->value)
