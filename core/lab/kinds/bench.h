/* SPDX-License-Identifier: MIT */
/* MsLabBench: what the configurations of one experiment share: the device, the inputs and the reference results. */
#pragma once

#include "core/filter/settings/params.h"
#include "core/image/common/image.h"
#include "core/factors.h"
#include "core/opencl/context.h"
#include "core/reduce/element-type.h"

typedef struct _MsLabBench MsLabBench;

MsLabBench *ms_lab_bench_new(MsContext *context, GPtrArray *contexts, MsImage *image);
void ms_lab_bench_free(MsLabBench *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsLabBench, ms_lab_bench_free)

MsContext *ms_lab_bench_context(MsLabBench *self);
GPtrArray *ms_lab_bench_contexts(MsLabBench *self);
MsImage *ms_lab_bench_image(MsLabBench *self, const char *size, GError **error);
MsImage *ms_lab_bench_reference(MsLabBench *self, MsImage *image, const MsParams *params, GCancellable *cancellable,
                                GError **error);
double ms_lab_bench_window_samples(MsLabBench *self, MsImage *image, const MsParams *params);
void ms_lab_bench_limit_reference(MsLabBench *self, double seconds);
guint ms_lab_bench_reference_step(guint bands, double band_s, guint threads, double limit_s);
MsImage *ms_lab_bench_referenced_rows(MsLabBench *self, MsImage *image);
const char *ms_lab_bench_scratch_file(MsLabBench *self);
const void *ms_lab_bench_array(MsLabBench *self, MsElementType type, guint64 n, cl_mem *buffer, GError **error);
void ms_lab_bench_forget(MsLabBench *self);
