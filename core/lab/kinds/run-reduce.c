/* SPDX-License-Identifier: MIT */
/* Kind reduce: any operation, element type and variant, on the device or by the serial code. */
#include <string.h>

#include "core/lab/kinds/bench-arrays.h"
#include "core/lab/kinds/kind-table.h"

#include <glib/gi18n-lib.h>
#include "core/lab/measure/clock.h"
#include "core/reduce/bank-model.h"
#include "core/reduce/reduce-factors.h"
#include "core/reduce/reduce-result.h"
#include "core/reduce/reduce.h"
#include "core/reduce/serial.h"

#define TOLERANCE 1e-6

typedef struct {
  MsSubject parent;
  MsLabBench *bench;
  MsReduceSpec spec;
  MsReduceOptions options;
  guint64 n;
  gboolean serial;
  gboolean wall; /* wall time of the host instead of kernel events */
  const void *data;
  cl_mem buffer;
  MsReducePlan *plan;
  MsReducer *reducer;
  MsTimingLog *log;
  MsReduceResult result;
  MsReduceResult reference;
  double reference_ns; /* of computing @reference; 0 until it is */
} ReduceSubject;

static gboolean
reduce_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  ReduceSubject *self = (ReduceSubject *)subject;
  MsContext *context = ms_lab_bench_context(self->bench);

  gboolean fits = !self->serial && self->parent.work.bytes <= (double)ms_context_get_limits(context)->max_allocation;

  self->data = ms_lab_bench_array(self->bench, self->spec.type, self->n, fits ? &self->buffer : NULL, error);
  if (!self->data || self->serial)
    return self->data != NULL;
  self->reducer = ms_reducer_new(context, self->plan, NULL, error);
  return self->reducer != NULL;
}

static gboolean
run_serial(ReduceSubject *self, MsSample *sample, GError **error)
{
  guint64 start = ms_clock_now_ns();
  gboolean good = ms_reduce_serial(&self->spec, self->data, self->n, &self->result, error);
  guint64 end = ms_clock_now_ns();

  ms_sample_add_event(sample, &(MsLabEvent){"host", "serial", start, end, 0, TRUE});
  return good;
}

/* An array that exceeds one allocation of the device has no buffer and is transferred in chunks. */
static gboolean
run_device(ReduceSubject *self, GCancellable *cancellable, GError **error)
{
  const MsReduceInput input = {.host = self->buffer ? NULL : self->data, .buffer = self->buffer, .n = self->n};

  return ms_reducer_run(self->reducer, &input, &(MsReduceJob){&self->result, self->log, cancellable}, error);
}

static gboolean
reduce_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  ReduceSubject *self = (ReduceSubject *)subject;
  guint64 start = ms_clock_now_ns();

  memset(&self->result, 0x5a, sizeof self->result); /* a run that writes nothing then fails the check */
  if (self->serial)
    return run_serial(self, sample, error);
  ms_timing_log_clear(self->log);
  if (!run_device(self, cancellable, error))
    return FALSE;
  if (self->wall)
    sample->ns = (double)(ms_clock_now_ns() - start);
  if (!ms_timing_log_resolve(self->log, error))
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_KERNEL);
  return TRUE;
}

static gboolean
find_reference(ReduceSubject *self, GError **error)
{
  guint64 start = ms_clock_now_ns();

  if (self->reference_ns > 0)
    return TRUE;
  if (!ms_reduce_serial(&self->spec, self->data, self->n, &self->reference, error))
    return FALSE;
  self->reference_ns = (double)(ms_clock_now_ns() - start);
  return TRUE;
}

static gboolean
reduce_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  ReduceSubject *self = (ReduceSubject *)subject;

  if (!find_reference(self, error))
    return FALSE;
  verification->total = 1;
  verification->mismatches = ms_reduce_result_agrees(&self->result, &self->reference, TOLERANCE) ? 0 : 1;
  verification->max_difference =
    verification->mismatches ? ms_reduce_result_number(&self->result) - ms_reduce_result_number(&self->reference) : 0;
  verification->against = g_strdup(N_("the serial result"));
  verification->result = ms_reduce_result_to_string(&self->result);
  verification->expected = ms_reduce_result_to_string(&self->reference);
  verification->reference_ns = self->reference_ns;
  return TRUE;
}

static void
reduce_release(MsSubject *subject)
{
  ReduceSubject *self = (ReduceSubject *)subject;

  g_clear_object(&self->reducer);
  self->data = NULL;
  self->buffer = NULL;
}

static void
reduce_finalize(MsSubject *subject)
{
  ReduceSubject *self = (ReduceSubject *)subject;

  g_clear_pointer(&self->plan, ms_reduce_plan_free);
  g_clear_object(&self->log);
}

static const MsSubjectFuncs reduce_funcs = {reduce_prepare, reduce_run, reduce_verify, reduce_release, reduce_finalize};

static gboolean
reduce_knows(const char *key)
{
  static const char *const own[] = {"op", "type", "size", "variant", "device", "clock", NULL};

  return g_strv_contains(own, key) || ms_reduce_option_find(key);
}

static char *
reduce_group(const MsFactors *factors)
{
  return g_strdup_printf("reduce op:%s type:%s size:%s", ms_factors_get_or(factors, "op", "sum"),
                         ms_factors_get_or(factors, "type", "uint"), ms_factors_get_or(factors, "size", "2^20"));
}

static gboolean
parse_flags(ReduceSubject *self, const MsFactors *factors, GError **error)
{
  const char *device = ms_factors_get_or(factors, "device", "selected");
  const char *clock = ms_factors_get_or(factors, "clock", "events");

  self->serial = strcmp(device, "reference") == 0;
  self->wall = strcmp(clock, "wall") == 0;
  if ((self->serial || strcmp(device, "selected") == 0) && (self->wall || strcmp(clock, "events") == 0))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "A device is selected or reference, a clock events or wall; "
               "not “%s”, “%s”.",
               device, clock);
  return FALSE;
}

static gboolean
make_plan(ReduceSubject *self, GError **error)
{
  MsBankCounts counts;

  if (self->serial)
    return TRUE;
  self->log = ms_timing_log_new();
  self->plan = ms_reduce_plan_new(&self->spec, &self->options, ms_context_get_limits(ms_lab_bench_context(self->bench)),
                                  self->n, error);
  if (!self->plan)
    return FALSE;
  counts = ms_bank_model_count(self->plan);
  self->parent.work.local_cycles = (double)counts.cycles;
  self->parent.work.bank_conflicts = (double)counts.conflicts;
  return TRUE;
}

static MsSubject *
reduce_create(MsLabBench *bench, const MsFactors *factors, const char *label, GError **error)
{
  ReduceSubject *self = g_new0(ReduceSubject, 1);

  ms_subject_init(&self->parent, &reduce_funcs, label);
  self->bench = bench;
  if (!ms_reduce_from_factors(factors, &self->spec, &self->options, &self->n, error) ||
      !parse_flags(self, factors, error) || !make_plan(self, error)) {
    ms_subject_free(&self->parent);
    return NULL;
  }
  self->parent.work.elements = (double)self->n;
  self->parent.work.bytes = (double)self->n * ms_element_type_size(self->spec.type);
  return &self->parent;
}

/* Thread swapping and the precision of sums are not tuned: they change energy and results, not speed. */
static gboolean
is_tuned(const char *name, const MsFactors *problem)
{
  static const char *const left_out[] = {"swap", "swap-range", "float-sum", NULL};

  return !g_strv_contains(left_out, name) && !ms_factors_get(problem, name);
}

/*
 * Adds every choice of the table, and numbers in powers of two up to the long loops that suit processors.
 */
static void
reduce_add_space(MsTuneSpace *space, const MsFactors *problem, const MsDeviceLimits *limits)
{
  static const char *const times[] = {"1", "2", "4", "8", "16", "32", "64", "128", "256", "1024", "4096", NULL};
  static const char *const counts[] = {"1", "2", "4", "8", "16", "32", NULL};
  static const char *const groups[] = {"1", "8", "64", "128", "256", "512", NULL};
  const MsOptionInfo *table = ms_reduce_options.rows;

  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    const char *name = table[i].name;
    if (!is_tuned(name, problem))
      continue;
    if (table[i].values)
      ms_tune_space_add(space, name, table[i].values);
    else
      ms_tune_space_add(space, name,
                        strcmp(name, "times") == 0        ? times
                        : strcmp(name, "group-size") == 0 ? groups
                                                          : counts);
  }
}

/* The options that `auto` chooses for this problem and device. */
static MsFactors *
reduce_propose(MsLabBench *bench, const MsFactors *problem, GCancellable *cancellable, GError **error)
{
  ReduceSubject *automatic = (ReduceSubject *)reduce_create(bench, problem, "auto", error);
  MsFactors *factors;
  const MsOptionInfo *table = ms_reduce_options.rows;

  if (!automatic)
    return NULL;
  factors = ms_factors_new();
  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], &automatic->plan->options);
    if (is_tuned(table[i].name, problem))
      ms_factors_set(factors, table[i].name, value);
  }
  ms_subject_free(&automatic->parent);
  return factors;
}

const MsLabKind ms_lab_kind_reduce = {"reduce",      reduce_knows,     reduce_group,
                                      reduce_create, reduce_add_space, reduce_propose};
