/* SPDX-License-Identifier: MIT */
/* Device choice: what `auto`, `cpu`, `gpu`, a part of a name or `P:D` mean on this machine. */
#pragma once

#include "core/opencl/context.h"

G_BEGIN_DECLS

MsContext *ms_device_choose(const char *device_selector, GStrv *rejected, GError **error);
MsContext *ms_device_choose_among(GPtrArray *devices, const char *device_selector, GStrv *rejected, GError **error);
gboolean ms_device_matches(MsDevice *device, const char *device_selector);

G_END_DECLS
