/* SPDX-License-Identifier: MIT */
/* The controls of the fault layer: an OpenCL layer that makes the n-th call fail, or the device seem to hang. */
#pragma once

/* Counts from now on; the @nth counted call (from 1) fails, none for 0. */
typedef void (*MsFaultArm)(int nth);
/* Calls counted since arming. */
typedef int (*MsFaultCount)(void);
/* While set, events never tell that they have ended; those held back are told when it is unset. */
typedef void (*MsFaultHang)(int hang);
