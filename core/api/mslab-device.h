/* SPDX-License-Identifier: MIT */
/* MslabDevice: an OpenCL device of this machine, as a list of devices shows it. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define MSLAB_TYPE_DEVICE (mslab_device_get_type())

G_DECLARE_FINAL_TYPE(MslabDevice, mslab_device, MSLAB, DEVICE, GObject)

GPtrArray *mslab_device_list(GError **error);
const char *mslab_device_get_address(MslabDevice *self);
const char *mslab_device_get_name(MslabDevice *self);
const char *mslab_device_get_platform(MslabDevice *self);
const char *mslab_device_get_driver(MslabDevice *self);
const char *mslab_device_get_kind(MslabDevice *self);

G_END_DECLS
