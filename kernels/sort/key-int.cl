/* SPDX-License-Identifier: MIT */
/* Keys are sorted as uint: the sign turned round. */
#define KEY_OF(x) (as_uint(x) ^ 0x80000000u)
#define ELEMENT_OF(key) as_int((key) ^ 0x80000000u)
