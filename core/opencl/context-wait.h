/* SPDX-License-Identifier: MIT */
/* Waits for a device under the time limit of its watchdog. */
#pragma once

#include "core/opencl/context.h"

gboolean ms_context_wait(MsContext *self, cl_event event, GError **error);
gboolean ms_context_finish(MsContext *self, GError **error);
