/* SPDX-License-Identifier: MIT */
/* The plain serial loops that speed-ups are measured over, and what they were compiled with. */
#pragma once

#include "core/reduce/operators.h"

/*
 * The loops over some of the elements. Of the result only the sums and extremes are set that the operator needs.
 */
void ms_serial_result_add(MsReduceResult *self, const MsReduceResult *more);
void ms_serial_loops_plain(const MsReduceSpec *spec, const void *data, guint64 from, guint64 n, MsReduceResult *result);
void ms_serial_loops_vectorised(const MsReduceSpec *spec, const void *data, guint64 from, guint64 n,
                                MsReduceResult *result);

/** MsSerialOptions: @vectorised: compiled with vector instructions; @threads: 1 for none beside the caller's. */
typedef struct {
  gboolean vectorised;
  guint threads;
} MsSerialOptions;

gboolean ms_reduce_baseline(const MsReduceSpec *spec, const void *data, guint64 n, const MsSerialOptions *options,
                            MsReduceResult *result, GError **error);
const char *ms_serial_compiler(void);
