/* SPDX-License-Identifier: MIT */
/* A reduction from the key=value pairs of an experiment or of a tuned winner. */
#pragma once

#include "core/factors.h"
#include "core/reduce/reduce-plan.h"

gboolean ms_reduce_from_factors(const MsFactors *factors, MsReduceSpec *spec, MsReduceOptions *options, guint64 *n,
                                GError **error);
