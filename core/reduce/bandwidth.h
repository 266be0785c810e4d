/* SPDX-License-Identifier: MIT */
/*
 * The device's peak bandwidth, measured once by a small read and copy benchmark and stored for this device and driver.
 */
#pragma once

#include <gio/gio.h>

#include "core/opencl/context.h"

/**
 * MsBandwidth: in 10^9 bytes a second; best of several passes over an array well beyond the caches.
 * @read: bytes read
 * @copy: bytes read plus bytes written
 */
typedef struct {
  double read;
  double copy;
} MsBandwidth;

gboolean ms_bandwidth_measure(MsContext *context, MsBandwidth *bandwidth, GCancellable *cancellable, GError **error);
gboolean ms_bandwidth_load(MsContext *context, const char *folder, MsBandwidth *bandwidth);
gboolean ms_bandwidth_get(MsContext *context, const char *folder, MsBandwidth *bandwidth, GCancellable *cancellable,
                          GError **error);
