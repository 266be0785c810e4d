/* SPDX-License-Identifier: MIT */
/* MsLabBench: what the configurations of one experiment share: the device, the inputs and the reference results. */
#pragma once

#include "core/factors.h"
#include "core/filter/settings/settings.h"
#include "core/image/common/image.h"
#include "core/lab/experiment/experiment.h"
#include "core/opencl/context.h"
#include "core/reduce/element-type.h"

/**
 * MsLabBench: what configurations share; others than bench.c read the first three members and set @columns and
 * @reference_s.
 * @context: (nullable): the device
 * @contexts: (nullable): the devices that share an image
 * @image: (nullable): filtered instead of generated scenes
 * @columns: the optional columns of the report
 * @reference_s: seconds that a reference may take, 0 for any time; it then has as many rows, spread evenly, as fit
 * @reference_step: a reference has the bands of rows whose index is a multiple of this
 */
typedef struct {
  MsContext *context;
  GPtrArray *contexts;
  MsImage *image;
  MsColumns columns;
  double reference_s;
  guint reference_step;
  GHashTable *scenes;    /* "WxH" -> MsImage */
  GPtrArray *references; /* Reference */
  GPtrArray *arrays;     /* MsLabArray */
} MsLabBench;

MsLabBench *ms_lab_bench_new(MsContext *context, GPtrArray *contexts, MsImage *image);
void ms_lab_bench_free(MsLabBench *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsLabBench, ms_lab_bench_free)

MsImage *ms_lab_bench_image(MsLabBench *self, const char *size, GError **error);
MsImage *ms_lab_bench_reference(MsLabBench *self, MsImage *image, const MsParams *params, GCancellable *cancellable,
                                GError **error);
double ms_lab_bench_window_samples(MsLabBench *self, MsImage *image, const MsParams *params);
guint ms_lab_bench_reference_step(guint bands, double band_s, guint threads, double limit_s);
MsImage *ms_lab_bench_referenced_rows(MsLabBench *self, MsImage *image);
const void *ms_lab_bench_array(MsLabBench *self, MsElementType type, guint64 n, cl_mem *buffer, GError **error);
void ms_lab_bench_forget(MsLabBench *self);
