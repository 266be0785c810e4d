/* SPDX-License-Identifier: MIT */
/*
 * Measures the kernels of `auto` on a device that the plan's rules do not know, the first time that it filters: each
 * candidate filters a part of that picture at two radii, and the fastest is kept with the tuned settings.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "core/engine/tuned.h"
#include "core/filter/plan/job.h"
#include "core/opencl/context.h"

/**
 * MsCandidate:
 * @settings: as arguments of MsFactors, "kernel:direct access:vload"
 * @ms: for each radius of ms_measured_radii the least milliseconds of the kernels; NAN where not measured
 * @failure: (nullable) (owned): why it cannot be taken on this device, in English
 */
typedef struct {
  const char *settings;
  double ms[MS_N_MEASURED_RADII];
  char *failure;
} MsCandidate;

/**
 * MsMeasuredKernels: what is known of the candidates on one device.
 * @candidates: (element-type MsCandidate): those that were tried
 * @is_complete: whether nothing is left to try
 */
typedef struct {
  GArray *candidates;
  gboolean is_complete;
} MsMeasuredKernels;

void ms_measured_kernels_clear(MsMeasuredKernels *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MsMeasuredKernels, ms_measured_kernels_clear)

gboolean ms_device_is_known(MsDevice *device);
char *ms_measured_kernels_describe(const MsMeasuredKernels *self);
void ms_measured_kernels_add(const MsMeasuredKernels *self, JsonBuilder *b);
gboolean ms_measured_kernels_load(MsMeasuredKernels *self, MsDevice *device);

gboolean ms_self_tune_measure(MsMeasuredKernels *self, MsContext *context, MsImage *picture, gboolean keep,
                              GCancellable *cancellable, GError **error);
char *ms_self_tune(MsContext *context, MsImage *picture, GCancellable *cancellable, GError **error);
