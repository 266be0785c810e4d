/* SPDX-License-Identifier: MIT */
/* The controls of the fault layer: an OpenCL layer that makes the n-th call fail, or the device hang or move. */
#pragma once

/* Restarts the count; the @nth counted call (from 1) fails, none for 0. */
typedef void (*MsFaultArm)(int nth);
/* Calls counted since arming. */
typedef int (*MsFaultCount)(void);
/* The device query that fails, 0 for none. */
typedef void (*MsFaultRefuse)(unsigned int query);
/* The time that every command takes by its event, in nanoseconds; 0 for what the device says. */
typedef void (*MsFaultTime)(unsigned long long ns);
/* While set, events never complete; completions held back are delivered when it is unset. */
typedef void (*MsFaultHang)(int hang);
/* The answers of devices to the queries for their PCI address; NULL for their own answers. */
typedef struct {
  unsigned int khr[4];
  unsigned int nvidia[3];
  int has_khr;
  int has_nvidia;
} MsFaultPlace;
typedef void (*MsFaultPlaceAt)(const MsFaultPlace *place);
