/* SPDX-License-Identifier: MIT */
/* Finds out what the driver tells of kernels that were launched, for the optional columns of a report. */
#pragma once

#include "core/lab/experiment/experiment.h"
#include "core/lab/measure/measurement.h"
#include "core/opencl/context.h"

void ms_kernel_notes_collect(MsContext *context, const GArray *launches, MsColumns columns, GPtrArray *notes);
GBytes *ms_machine_code_find(GBytes *binary, const char *kernel, const gsize group[3]);
