/* SPDX-License-Identifier: MIT */
/* MsDeviceEngine: filters on one OpenCL device, and on the processor after a failure where the caller allows it. */
#pragma once

#include "core/engine/engine.h"

#define MS_TYPE_DEVICE_ENGINE (ms_device_engine_get_type())
G_DECLARE_FINAL_TYPE(MsDeviceEngine, ms_device_engine, MS, DEVICE_ENGINE, MsEngine)

MsEngine *ms_device_engine_open(const char *device_selector, MsFallback fallback, MsEngineNote note, gpointer note_data,
                                GError **error);
MsEngine *ms_device_engine_new(MsContext *context, MsFallback fallback, MsEngineNote note, gpointer note_data);
