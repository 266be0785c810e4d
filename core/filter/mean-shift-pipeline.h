/* SPDX-License-Identifier: MIT */
/* Runs the stripes of one image on several queues of one device, so that transfers overlap kernels. */
#pragma once

#include "core/filter/mean-shift-run.h"

G_BEGIN_DECLS

gboolean ms_filter_run_pipeline(const MsFilterRun *common, GError **error);

G_END_DECLS
