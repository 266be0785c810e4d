/* SPDX-License-Identifier: MIT */
/* The plain serial loops that speed-ups are measured over, and what they were compiled with. */
#pragma once

#include "core/reduce/operators.h"

/** MsSerialTotals: what one loop over some of the elements leaves; only what its operator needs is meaningful. */
typedef struct {
  MsWide sum;
  double sum_real;
  MsWide squares;
  double squares_real;
  double min;
  double max;
  guint64 min_at;
  guint64 max_at;
} MsSerialTotals;

/** MS_SERIAL_NOTHING: the totals of no elements. */
#define MS_SERIAL_NOTHING                                                                                              \
  ((MsSerialTotals){.min = (double)INFINITY,                                                                           \
                    .max = (double)-INFINITY,                                                                          \
                    .min_at = MS_REDUCE_NO_POSITION,                                                                   \
                    .max_at = MS_REDUCE_NO_POSITION})

void ms_serial_totals_add(MsSerialTotals *self, const MsSerialTotals *more);
void ms_serial_loops_plain(const MsReduceSpec *spec, const void *data, guint64 from, guint64 n, MsSerialTotals *totals);
void ms_serial_loops_vectorised(const MsReduceSpec *spec, const void *data, guint64 from, guint64 n,
                                MsSerialTotals *totals);

/** MsSerialOptions: @vectorised: compiled with vector instructions; @threads: 1 for none beside the caller's. */
typedef struct {
  gboolean vectorised;
  guint threads;
} MsSerialOptions;

gboolean ms_serial_reduce(const MsReduceSpec *spec, const void *data, guint64 n, const MsSerialOptions *options,
                          MsReduceResult *result, GError **error);
const char *ms_serial_compiler(void);
