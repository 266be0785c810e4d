/* SPDX-License-Identifier: MIT */
/* MsDevice: one OpenCL device with a snapshot of the limits that plans depend on. */
#pragma once

#include <CL/cl.h>
#include <glib-object.h>

#include "core/error.h"
#include "core/opencl/device-limits.h"

#define MS_TYPE_DEVICE (ms_device_get_type())
G_DECLARE_FINAL_TYPE(MsDevice, ms_device, MS, DEVICE, GObject)

/** MS_DEVICE_SNAPSHOT: the GVariant type of ms_device_to_snapshot(): seven texts and the bytes of #MsDeviceLimits. */
#define MS_DEVICE_SNAPSHOT "(asay)"

GPtrArray *ms_device_enumerate(GError **error);
GVariant *ms_device_to_snapshot(MsDevice *self);
MsDevice *ms_device_new_from_snapshot(GVariant *snapshot);
gboolean ms_device_is_sane(MsDevice *self);
gboolean ms_device_equal(MsDevice *a, MsDevice *b);

cl_device_id ms_device_get_id(MsDevice *self);
const MsDeviceLimits *ms_device_get_limits(MsDevice *self);
gboolean ms_device_check_limits(MsDevice *self, GError **error);
gboolean ms_device_has_own_memory(MsDevice *self);
void ms_device_set_extensions(MsDevice *self, MsCompilerExtensions extensions);
const char *ms_device_get_name(MsDevice *self);
const char *ms_device_get_vendor(MsDevice *self);
const char *ms_device_get_platform(MsDevice *self);
const char *ms_device_get_driver(MsDevice *self);
const char *ms_device_get_version(MsDevice *self);
const char *ms_device_get_extensions(MsDevice *self);
const char *ms_device_get_address(MsDevice *self);
const char *ms_device_type_name(MsDeviceType type);
