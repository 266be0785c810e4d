/* SPDX-License-Identifier: MIT */
/* Test arrays for reductions, and the comparison of a device's result with the serial one. */
#pragma once

#include "core/reduce/operators.h"
#include "core/reduce/reduce.h"
#include "core/reduce/swap.h"

/**
 * MsPattern: the contents of an array.
 * @MS_PATTERN_EXTREMES: the ends of the type in turn
 * @MS_PATTERN_SPECIAL: numbers, NaN and both infinities; integers: as RANDOM
 * @MS_PATTERN_LATE: zeros in the first half, then ever greater numbers, of either sign where there is one
 * @MS_PATTERN_NAN: NaN throughout; integers: the greatest value throughout
 */
typedef enum {
  MS_PATTERN_RANDOM,
  MS_PATTERN_ZEROS,
  MS_PATTERN_EQUAL,
  MS_PATTERN_EXTREMES,
  MS_PATTERN_GREATEST,
  MS_PATTERN_SPARSE,
  MS_PATTERN_SPECIAL,
  MS_PATTERN_NAN,
  MS_PATTERN_LATE,
  MS_N_PATTERNS,
} MsPattern;

MsDeviceLimits ms_reduce_cases_device(void);
MsReduceOptions ms_reduce_cases_variant(const char *text);
MsReducePlan *ms_reduce_cases_plan(const char *text, const MsReduceSpec *spec, const MsDeviceLimits *limits, guint64 n);
const char *ms_pattern_name(MsPattern pattern);
void *ms_pattern_new(MsPattern pattern, MsElementType type, guint64 n);
gboolean ms_pattern_suits(MsPattern pattern, const MsReduceSpec *spec, const MsReducePlan *plan);
void ms_reduce_assert_agrees(const MsReduceResult *result, const MsReduceResult *expected, const char *what);
guint ms_reduce_cases_divergent_warps(const guint16 *map, guint work_group, guint warp, MsSwapOutcome outcome);
