/* SPDX-License-Identifier: MIT */
/* Runs of the filter against the serial reference for combinations of the toggles in the descriptor table. */
#pragma once

#include "core/filter/mean-shift.h"

/** MsOptionProduct: a filter on the device under test, with counts of what was compared and what the plan refused. */
typedef struct {
  MsContext *context;
  MsMeanShift *filter;
  guint ran;
  guint refused;
} MsOptionProduct;

gboolean ms_option_product_open(MsOptionProduct *product);
void ms_option_product_close(MsOptionProduct *product);
void ms_option_product_compare(MsOptionProduct *product, MsImage *source, MsImage *expected, const MsSettings *settings,
                               const MsRegion *region);
void ms_option_product_compare_kernels(MsOptionProduct *product, MsImage *source, const MsSettings *settings,
                                       const MsRegion *region, const MsKernel *kernels, gsize n);
void ms_option_product_all_toggles(MsOptionProduct *product, MsImage *source, const MsParams *params, int group_width,
                                   int group_height);
void ms_option_product_one_kernel(MsOptionProduct *product, MsImage *source, const MsParams *params, MsKernel kernel);
void ms_option_product_all_kernels(MsOptionProduct *product, MsImage *source, const MsParams *params);
