/* SPDX-License-Identifier: MIT */
/* A model of warps: which branches the work-items of a warp take, and how many memory segments they touch. */
#pragma once

#include "core/reduce/swap.h"

#define MS_WARP_SIZE 32

/**
 * MsWarpCounts:
 * @branches: different branches that a warp takes one after the other; more than one is divergence
 * @accesses: segments of 128 bytes that the branches touch, one access each
 * @uncoalesced: accesses beyond the first of every branch, which stall the warp
 */
typedef struct {
  guint branches;
  guint accesses;
  guint uncoalesced;
} MsWarpCounts;

MsWarpCounts ms_warp_model_count(const guint16 *map, guint first, MsSwapOutcome outcome);
