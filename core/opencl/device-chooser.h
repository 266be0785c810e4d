/* SPDX-License-Identifier: MIT */
/* Chooses a device by a selector: `auto`, `cpu`, `gpu`, part of a name, or `P:D`. */
#pragma once

#include "core/opencl/context.h"

MsContext *ms_device_choose(const char *device_selector, GStrv *rejected, GError **error);
MsContext *ms_device_choose_among(GPtrArray *devices, const char *device_selector, GStrv *rejected, GError **error);
gboolean ms_device_matches(MsDevice *device, const char *device_selector);
