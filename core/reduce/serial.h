/* SPDX-License-Identifier: MIT */
/* Serial reductions in C, the reference for the results of devices. */
#pragma once

#include "core/reduce/reduce-plan.h"

gboolean ms_reduce_serial(const MsReduceSpec *spec, const void *data, guint64 n, MsReduceResult *result,
                          GError **error);
