/* SPDX-License-Identifier: MIT */
/* The probe: a trivial kernel whose result shows whether a device computes at all. */
#pragma once

#include "core/opencl/context.h"

gboolean ms_context_probe(MsContext *context, GError **error);
