/* SPDX-License-Identifier: MIT */
/* Kind bandwidth: reads an array, or copies one buffer to another on the device. */
#include <inttypes.h>
#include <string.h>

#include "core/lab/kinds/bench-arrays.h"
#include "core/lab/kinds/kind-table.h"

#include <glib/gi18n-lib.h>
#include "core/opencl/cl-error.h"
#include "core/opencl/context-transfer.h"
#include "core/reduce/reduce-result.h"
#include "core/reduce/reduce.h"
#include "core/reduce/serial.h"

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  gboolean copies;
  guint64 n; /* elements of type uint */
  const void *data;
  cl_mem from;
  cl_mem to;
  MsReducePlan *plan;
  MsReducer *reducer;
  MsReduceResult sum;
  MsTimingLog *log;
} BandwidthSubject;

static gboolean
bandwidth_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  BandwidthSubject *self = (BandwidthSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);

  self->data = ms_lab_bench_array(self->bench, MS_ELEMENT_UINT, self->n, &self->from, error);
  if (!self->data)
    return FALSE;
  if (self->copies)
    self->to = ms_context_create_buffer(context, CL_MEM_READ_WRITE, self->n * 4, NULL, error);
  else
    self->reducer = ms_reducer_new(context, self->plan, NULL, error);
  return self->to || self->reducer;
}

static gboolean
run_copy(BandwidthSubject *self, GError **error)
{
  MsContext *context = ms_lab_bench_context(self->bench);
  g_auto(cl_event) event = NULL;

  if (!ms_cl_check(
        clEnqueueCopyBuffer(ms_context_get_queue(context), self->from, self->to, 0, 0, self->n * 4, 0, NULL, &event),
        error, "copying a buffer"))
    return FALSE;
  ms_timing_log_add_event(self->log, MS_STAGE_KERNEL, "copy", self->n * 8, event);
  return ms_context_finish(context, error);
}

static gboolean
bandwidth_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  BandwidthSubject *self = (BandwidthSubject *)subject;

  ms_timing_log_clear(self->log);
  memset(&self->sum, 0x5a, sizeof self->sum);
  gboolean good = self->copies ? run_copy(self, error)
                               : ms_reducer_run(self->reducer, &(MsReduceInput){.buffer = self->from, .n = self->n},
                                                &(MsReduceJob){&self->sum, self->log, cancellable}, error);
  if (!good || !ms_timing_log_resolve(self->log, error))
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_KERNEL);
  return TRUE;
}

static gboolean
verify_copy(BandwidthSubject *self, MsVerification *verification, GError **error)
{
  g_autofree char *copy = g_malloc(self->n * 4);

  if (!ms_context_download(ms_lab_bench_context(self->bench), &(MsBufferRange){self->to, 0, self->n * 4}, copy, NULL,
                           error))
    return FALSE;
  verification->total = self->n;
  for (guint64 i = 0; i < self->n; i++)
    verification->mismatches += memcmp(copy + i * 4, (const char *)self->data + i * 4, 4) != 0;
  verification->against = g_strdup(N_("what was copied"));
  return TRUE;
}

static gboolean
bandwidth_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  BandwidthSubject *self = (BandwidthSubject *)subject;
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_UINT);
  MsReduceResult reference;

  if (self->copies)
    return verify_copy(self, verification, error);
  if (!ms_reduce_serial(&spec, self->data, self->n, &reference, error))
    return FALSE;
  verification->total = 1;
  verification->mismatches = ms_reduce_result_agrees(&self->sum, &reference, 0) ? 0 : 1;
  verification->against = g_strdup(N_("the serial sum"));
  return TRUE;
}

static void
bandwidth_release(MsSubject *subject)
{
  BandwidthSubject *self = (BandwidthSubject *)subject;

  g_clear_pointer(&self->to, clReleaseMemObject);
  g_clear_object(&self->reducer);
}

static void
bandwidth_finalize(MsSubject *subject)
{
  BandwidthSubject *self = (BandwidthSubject *)subject;

  g_clear_pointer(&self->plan, ms_reduce_plan_free);
  g_clear_object(&self->log);
}

static const MsSubjectFuncs bandwidth_funcs = {bandwidth_prepare, bandwidth_run, bandwidth_verify, bandwidth_release,
                                               bandwidth_finalize};

static gboolean
bandwidth_knows(const char *key)
{
  return strcmp(key, "bytes") == 0 || strcmp(key, "operation") == 0;
}

static char *
bandwidth_group(const MsFactors *factors)
{
  return g_strdup_printf("bandwidth bytes:%s %s", ms_factors_get_or(factors, "bytes", "2^26"),
                         ms_factors_get_or(factors, "operation", "read"));
}

static gboolean
make_plan(BandwidthSubject *self, GError **error)
{
  const MsDeviceLimits *limits = ms_context_get_limits(ms_lab_bench_context(self->bench));
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_UINT);
  MsReduceOptions options = ms_reduce_options_auto();

  if (self->n * 4 > limits->max_allocation) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "The device allocates %" PRIu64 " bytes at most.",
                 limits->max_allocation);
    return FALSE;
  }
  if (!self->copies)
    self->plan = ms_reduce_plan_new(&spec, &options, limits, self->n, error);
  return self->copies || self->plan;
}

static MsSubject *
bandwidth_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  const char *operation = ms_factors_get_or(factors, "operation", "read");
  gint64 bytes, one;

  if (!ms_factors_parse_size(ms_factors_get_or(factors, "bytes", "2^26"), &bytes, &one, error))
    return NULL;
  if (strcmp(operation, "read") != 0 && strcmp(operation, "copy") != 0) {
    ms_set_error(error, MS_ERROR_USAGE, "“%s” is not an operation; it can be read or copy.", operation);
    return NULL;
  }
  BandwidthSubject *self = g_new0(BandwidthSubject, 1);
  ms_subject_init(&self->parent, &bandwidth_funcs, label);
  self->bench = bench;
  self->copies = strcmp(operation, "copy") == 0;
  self->n = (guint64)MAX(bytes * one / 4, 1);
  self->log = ms_timing_log_new();
  self->parent.work.bytes = (double)self->n * (self->copies ? 8 : 4);
  if (make_plan(self, error))
    return &self->parent;
  ms_subject_free(&self->parent);
  return NULL;
}

const MsLabKind ms_lab_kind_bandwidth = {"bandwidth", bandwidth_knows, bandwidth_group, bandwidth_create, NULL, NULL};
