/* SPDX-License-Identifier: MIT */
/* The modes of pixels are not stored. Twin of modes-on.cl. */
#define MODES_PARAM
#define HAS_MODES 0
#define STORE_MODE(index, x, y)
