/* SPDX-License-Identifier: MIT */
/* The test matrix of the filter: runs against the serial reference over the toggles of the descriptor table. */
#pragma once

#include "core/filter/mean-shift.h"

G_BEGIN_DECLS

/** MsMatrix: a filter on the device under test, with counts of what was compared and what the plan refused. */
typedef struct {
  MsContext *context;
  MsMeanShift *filter;
  guint ran;
  guint refused;
} MsMatrix;

gboolean ms_matrix_open(MsMatrix *matrix);
void ms_matrix_close(MsMatrix *matrix);
void ms_matrix_compare(MsMatrix *matrix, MsImage *source, MsImage *expected, const MsSettings *settings,
                       const MsRegion *region);
void ms_matrix_all_toggles(MsMatrix *matrix, MsImage *source, const MsParams *params, int group_width,
                           int group_height);
void ms_matrix_all_kernels(MsMatrix *matrix, MsImage *source, const MsParams *params);

G_END_DECLS
