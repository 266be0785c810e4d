/* SPDX-License-Identifier: MIT */
/* The places where pixels come to rest are not kept. Twin of modes-on.cl. */
#define MODES_PARAM
#define HAS_MODES 0
#define STORE_MODE(index, x, y)
