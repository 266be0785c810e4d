/* SPDX-License-Identifier: MIT */
/* Keys are sorted as uint; these are already. */
#define KEY_OF(x) (x)
#define ELEMENT_OF(key) (key)
