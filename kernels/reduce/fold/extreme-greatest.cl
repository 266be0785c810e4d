/* SPDX-License-Identifier: MIT */
/* The greatest of the elements. Twin of extreme-least.cl. */
#define PICK(x, y) GREATER(x, y)
#define END LOWEST
#define EACH_EXTREME(a, LOW, HIGH) HIGH(0, (a)->value)
