/* SPDX-License-Identifier: MIT */
/* The controls of the fault layer: an OpenCL layer that makes the n-th call fail, or the device hang or move. */
#pragma once

/* Counts from now on; the @nth counted call (from 1) fails, none for 0. */
typedef void (*MsFaultArm)(int nth);
/* Calls counted since arming. */
typedef int (*MsFaultCount)(void);
/* While set, events never tell that they have ended; those held back are told when it is unset. */
typedef void (*MsFaultHang)(int hang);
/* The words that devices answer the questions for their place on the PCI bus with; NULL for their own answers. */
typedef struct {
  unsigned int khr[4];
  unsigned int nvidia[3];
  int has_khr;
  int has_nvidia;
} MsFaultPlace;
typedef void (*MsFaultPlaceAt)(const MsFaultPlace *place);
