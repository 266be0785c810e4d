/* SPDX-License-Identifier: MIT */
/* Verdicts between two configurations, from runs that were taken side by side or that share an anchor. */
#pragma once

#include <glib.h>

typedef enum {
  MS_VERDICT_UNCERTAIN,
  MS_VERDICT_SAME,
  MS_VERDICT_FASTER,
  MS_VERDICT_SLOWER,
} MsVerdict;

/**
 * MsSpeedup: how many times faster a candidate is than a baseline, with a 99 % interval.
 * @ratio: time of the baseline / time of the candidate
 * @low: lower end of the interval; 0 when unknown
 * @high: upper end; infinite when unknown
 */
typedef struct {
  MsVerdict verdict;
  double ratio;
  double low;
  double high;
} MsSpeedup;

/**
 * MsTimes: the samples of one configuration.
 * @ns: (array length=n): times in nanoseconds
 * @rounds: (array length=n): the round in which each was taken, ascending
 */
typedef struct {
  const double *ns;
  const guint *rounds;
  guint n;
} MsTimes;

/** MS_SPEEDUP_UNKNOWN: no ratio and no verdict. */
#define MS_SPEEDUP_UNKNOWN ((MsSpeedup){MS_VERDICT_UNCERTAIN, NAN, 0, INFINITY})

MsSpeedup ms_speedup_side_by_side(const MsTimes *baseline, const MsTimes *candidate, double noise);
MsSpeedup ms_speedup_anchored(const MsTimes *old, const MsTimes *old_anchor, const MsTimes *new,
                              const MsTimes *new_anchor, double noise);
const char *ms_verdict_to_string(MsVerdict verdict);
const char *ms_verdict_describe(MsVerdict verdict);
