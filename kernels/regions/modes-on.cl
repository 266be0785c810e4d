/* SPDX-License-Identifier: MIT */
/*
 * Stores the mode of each pixel, the position at which it converges, beside its colour: column and row in 16 bits each.
 * Twin of modes-off.cl.
 */
#define MODES_PARAM , __global ushort2 *modes
#define HAS_MODES 1
#define STORE_MODE(index, x, y) modes[index] = (ushort2)((ushort)(x), (ushort)(y))
