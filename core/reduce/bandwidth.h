/* SPDX-License-Identifier: MIT */
/*
 * The device's peak bandwidth, measured once by a small read and copy benchmark and stored for this device and driver,
 * and how near a pass of kernels came to it.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

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
void ms_bandwidth_confirm(MsContext *context, const char *folder, double gb_per_s, MsBandwidth *bandwidth,
                          GCancellable *cancellable);
gboolean ms_bandwidth_get(MsContext *context, const char *folder, MsBandwidth *bandwidth, GCancellable *cancellable,
                          GError **error);

/**
 * MsTimedPass: what a pass of kernels took, in all.
 * @gb_per_s: bytes that it moved over @kernel_ms
 * @peak_share: @gb_per_s over the measured read bandwidth of the device, 0 when that is not known
 */
typedef struct {
  double kernel_ms;
  double gb_per_s;
  double peak_share;
} MsTimedPass;

gboolean ms_time_pass(const MsDeviceRun *run, MsTimingLog *own, MsTimedPass *timed, GError **error);
MsTimedPass ms_timed_pass_join(MsTimedPass a, MsTimedPass b);
void ms_timed_pass_append_text(const MsTimedPass *self, GString *text);
void ms_timed_pass_add_json(const MsTimedPass *self, JsonBuilder *builder);
