/* SPDX-License-Identifier: MIT */
/* The bridge from the lab's key=value settings to those of a reduction. */
#pragma once

#include "core/lab/experiment/factors.h"
#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

gboolean ms_lab_reduce_settings(const MsFactors *factors, MsReduceSpec *spec, MsReduceOptions *options, guint64 *n,
                                GError **error);

G_END_DECLS
