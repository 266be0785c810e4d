/* SPDX-License-Identifier: MIT */
/* Which of the machine's devices a selector means, and the first of them that works. */
#pragma once

#include "core/opencl/context.h"

gboolean ms_device_matches(MsDevice *device, const char *device_selector);
MsContext *ms_device_choose(const char *device_selector, GStrv *rejected, GError **error);
MsContext *ms_device_choose_among(GPtrArray *devices, const char *device_selector, GStrv *rejected, GError **error);
