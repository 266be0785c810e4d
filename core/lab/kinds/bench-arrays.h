/* SPDX-License-Identifier: MIT */
/* The generated arrays that reductions and sorts of one experiment share. */
#pragma once

#include "core/lab/kinds/bench.h"

const void *ms_lab_bench_array(MsLabBench *self, MsElementType type, guint64 n, cl_mem *buffer, GError **error);
