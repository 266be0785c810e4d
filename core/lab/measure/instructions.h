/* SPDX-License-Identifier: MIT */
/*
 * MsInstructionCounts: the instructions of a kernel by class, as they stand in the program: how often each runs is not
 * known.
 */
#pragma once

#include <glib.h>

/**
 * MsInstructionCounts:
 * @total: all but those that only fill space
 * @arithmetic: those that compute, comparisons and conversions included
 * @packed: those that compute, load or store several elements at once
 * @loads: those that read memory, @stores: that write it; an instruction of a processor may also compute, or do both
 * @branches: jumps, calls and returns
 * @other: of none of these classes, as copies between registers
 */
typedef struct {
  guint total;
  guint arithmetic;
  guint packed;
  guint loads;
  guint stores;
  guint branches;
  guint other;
} MsInstructionCounts;

gboolean ms_instructions_count_ptx(const char *ptx, const char *kernel, MsInstructionCounts *counts);
gboolean ms_instructions_count_x86(const char *listing, const char *kernel, MsInstructionCounts *counts);
