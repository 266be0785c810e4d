/* SPDX-License-Identifier: MIT */
/* MsLabBench: what the configurations of one experiment share: the device, the inputs and the reference results. */
#pragma once

#include "core/filter/params.h"
#include "core/image/image.h"
#include "core/lab/experiment/factors.h"
#include "core/lab/measure/measure.h"
#include "core/lab/tune/tuner.h"
#include "core/opencl/context.h"
#include "core/reduce/reduce-types.h"

G_BEGIN_DECLS

typedef struct _MsLabBench MsLabBench;

MsLabBench *ms_lab_bench_new(MsContext *context, GPtrArray *contexts, MsImage *image);
void ms_lab_bench_free(MsLabBench *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsLabBench, ms_lab_bench_free)

MsContext *ms_lab_bench_context(MsLabBench *self);
GPtrArray *ms_lab_bench_contexts(MsLabBench *self);
MsImage *ms_lab_bench_image(MsLabBench *self, const char *size, GError **error);
MsImage *ms_lab_bench_reference(MsLabBench *self, MsImage *image, const MsParams *params, double *window_samples,
                                GCancellable *cancellable, GError **error);
const void *ms_lab_bench_array(MsLabBench *self, MsElementType type, guint64 n, cl_mem *buffer, GError **error);
const char *ms_lab_bench_scratch_file(MsLabBench *self);
void ms_lab_bench_forget(MsLabBench *self);

void ms_lab_take_log(MsTimingLog *log, MsSample *sample, guint headline_stages);

/**
 * MsLabKind: a kind of experiment.
 * @knows: whether a setting's key means something to it
 * @group: (transfer full): what configurations must share to be compared
 * @create: (transfer full): a subject; fails with #MS_ERROR_UNSUPPORTED when the plan refuses the
 *   configuration, with
 *   #MS_ERROR_USAGE when a value means nothing
 * @add_space: (nullable): what can be tuned, for this problem and device
 * @propose: (nullable) (transfer full): where a search begins: what the program would choose by itself;
 *   also makes what all
 *   trials share, so that no trial pays for it
 */
typedef struct {
  const char *name;
  gboolean (*knows)(const char *key);
  char *(*group)(const MsFactors *settings);
  MsSubject *(*create)(MsLabBench *bench, const MsFactors *settings, const char *label, GError **error);
  void (*add_space)(MsTuneSpace *space, const MsFactors *problem, const MsDeviceLimits *limits);
  MsFactors *(*propose)(MsLabBench *bench, const MsFactors *problem, GCancellable *cancellable, GError **error);
} MsLabKind;

const MsLabKind *ms_lab_kind_find(const char *name);
gboolean ms_lab_check_keys(const MsLabKind *kind, const MsFactors *settings, GError **error);

extern const MsLabKind ms_lab_kind_mean_shift;
extern const MsLabKind ms_lab_kind_transfer;
extern const MsLabKind ms_lab_kind_split;
extern const MsLabKind ms_lab_kind_reduce;
extern const MsLabKind ms_lab_kind_sort;
extern const MsLabKind ms_lab_kind_swap_example;
extern const MsLabKind ms_lab_kind_bandwidth;

G_END_DECLS
