/* SPDX-License-Identifier: MIT */
/*
 * Beside each pixel's colour the kernel writes the place where the pixel comes to rest, its mode: column and row in 16
 * bits each. Twin of modes-off.cl.
 */
#define MODES_PARAM , __global ushort2 *modes
#define HAS_MODES 1
#define STORE_MODE(index, x, y) modes[index] = (ushort2)((ushort)(x), (ushort)(y))
