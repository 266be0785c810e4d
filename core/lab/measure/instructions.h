/* SPDX-License-Identifier: MIT */
/*
 * MsInstructionCounts: the instructions of a kernel by class, as they stand in the program: how often each runs is not
 * known.
 */
#pragma once

#include <glib.h>
#include <math.h>

/**
 * MsInstructionCounts: those of a kernel by class, each NAN where it is unknown.
 * @total: all but those that only fill space
 * @arithmetic: those that compute, comparisons and conversions included
 * @packed: those that compute, load or store several elements at once
 * @loads: those that read memory, @stores: that write it; an instruction of a processor may also compute, or do both
 * @branches: jumps, calls and returns
 * @other: of none of these classes, as copies between registers
 */
typedef struct {
  double total;
  double arithmetic;
  double packed;
  double loads;
  double stores;
  double branches;
  double other;
} MsInstructionCounts;

#define MS_INSTRUCTIONS_UNCOUNTED ((MsInstructionCounts){NAN, NAN, NAN, NAN, NAN, NAN, NAN})

gboolean ms_instructions_count_ptx(const char *ptx, const char *kernel, MsInstructionCounts *counts);
gboolean ms_instructions_count_x86(const char *listing, const char *kernel, MsInstructionCounts *counts);
