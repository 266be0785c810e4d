/* SPDX-License-Identifier: MIT */
#include "core/reduce/runs/reduce-run.h"

#include <stdlib.h>

#include "core/json.h"
#include "core/reduce/runs/generated-array.h"
#include "core/reduce/launch.h"
#include "core/reduce/reduce-result.h"
#include "core/reduce/serial.h"
#include "core/reduce/variant.h"

/* Largest difference of a sum of floats from the serial one, relative to it. */
#define TOLERANCE 1e-6

/** Bench: the array, on the device when it fits into one buffer. */
typedef struct {
  MsContext *context;
  MsReducer *reducer;
  void *data;
  cl_mem buffer;
  MsRunTimes times;
} Bench;

static void
bench_clear(Bench *self)
{
  g_clear_object(&self->reducer);
  g_clear_pointer(&self->buffer, clReleaseMemObject);
  ms_run_times_clear(&self->times);
  free(self->data);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bench, bench_clear)

static gboolean
check_request(const MsReduceRunRequest *request, GError **error)
{
  if (request->spec.channel < 0)
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
              "A generated array has no channels; channels are reduced in images (--stats).");
  return FALSE;
}

static gboolean
prepare(Bench *bench, const MsReduceRunRequest *request, MsReduceRun *run, MsTimingLog *log, GError **error)
{
  const MsDeviceLimits *limits = ms_context_get_limits(bench->context);
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&request->spec, &request->options, limits, request->n, error);
  g_autoptr(MsTimingLog) upload = ms_timing_log_new();

  if (!plan)
    return FALSE;
  run->options = plan->options;
  bench->data = ms_generated_array_new(request->spec.type, request->n, request->seed, error);
  if (!bench->data)
    return FALSE;
  bench->reducer = ms_reducer_new(bench->context, plan, log, error);
  if (!bench->reducer || run->bytes > limits->max_allocation)
    return bench->reducer != NULL;
  bench->buffer = ms_device_array_new(bench->context, bench->data, run->bytes, upload, error);
  if (!bench->buffer || !ms_timing_log_resolve(upload, error))
    return FALSE;
  run->upload_ms = ms_timing_log_total_ms(upload, MS_STAGE_UPLOAD);
  if (log)
    ms_timing_log_append(log, upload);
  return TRUE;
}

static gboolean
run_once(Bench *bench, MsReduceRun *run, MsTimingLog *log, gboolean counts, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsTimingLog) own = ms_timing_log_new();
  gint64 start = g_get_monotonic_time();
  double wall, kernels;
  gboolean good =
    bench->buffer
      ? ms_reducer_run_buffer(bench->reducer, bench->buffer, 0, run->n, &run->result, own, cancellable, error)
      : ms_reducer_run_host(bench->reducer, bench->data, run->n, &run->result, own, cancellable, error);

  wall = (double)(g_get_monotonic_time() - start) / 1000.0;
  if (!good || !ms_timing_log_resolve(own, error))
    return FALSE;
  kernels = ms_log_kernel_ms(own);
  if (!counts)
    return TRUE;
  ms_run_times_add(&bench->times, kernels, wall);
  if (log)
    ms_timing_log_append(log, own);
  return TRUE;
}

static gboolean
run_all(Bench *bench, MsReduceRun *run, guint repeat, MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  ms_run_times_init(&bench->times);
  if (!run_once(bench, run, log, FALSE, cancellable, error)) /* the first run pays for the compiler and the caches */
    return FALSE;
  for (guint i = 0; i < MAX(repeat, 1); i++)
    if (!run_once(bench, run, log, TRUE, cancellable, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_result(Bench *bench, MsReduceRun *run, GError **error)
{
  gint64 start = g_get_monotonic_time();

  if (!ms_reduce_serial(&run->spec, bench->data, run->n, &run->reference, error))
    return FALSE;
  run->serial_ms = (double)(g_get_monotonic_time() - start) / 1000.0;
  run->agrees = ms_reduce_result_agrees(&run->result, &run->reference, TOLERANCE);
  return TRUE;
}

/**
 * ms_reduce_run:
 * @log: (nullable): gets the build, the upload and the commands of the timed runs
 *
 * Generates the array, runs the reduction once to warm up and then @request->repeat times, and checks the result.
 *
 * Returns: (transfer full): what came out, also when the result is wrong (see @agrees); %NULL with @error set when it
 *   could not run
 */
MsReduceRun *
ms_reduce_run(MsContext *context, const MsReduceRunRequest *request, MsTimingLog *log, GCancellable *cancellable,
              GError **error)
{
  g_autoptr(MsReduceRun) run = g_new0(MsReduceRun, 1);
  g_auto(Bench) bench = {.context = context};

  run->spec = request->spec;
  run->n = request->n;
  run->bytes = request->n * ms_element_type_size(request->spec.type);
  run->chosen_by = request->tuned ? "tuning" : request->options.automatic ? "program" : "caller";
  run->device = g_strdup(ms_device_get_name(ms_context_get_device(context)));
  if (!check_request(request, error) || !prepare(&bench, request, run, log, error) ||
      !run_all(&bench, run, request->repeat, log, cancellable, error) || !check_result(&bench, run, error))
    return NULL;
  run->times = ms_run_times_summarise(&bench.times, context, run->bytes);
  return g_steal_pointer(&run);
}

void
ms_reduce_run_free(MsReduceRun *self)
{
  g_free(self->device);
  g_free(self);
}

/** ms_reduce_run_to_text: (transfer full): one figure a line. */
char *
ms_reduce_run_to_text(const MsReduceRun *self)
{
  GString *text = g_string_new(NULL);
  g_autofree char *result = ms_reduce_result_to_string(&self->result);
  g_autofree char *reference = ms_reduce_result_to_string(&self->reference);
  g_autofree char *variant = ms_reduce_variant_to_string(&self->options, &self->spec);
  char serial_ms[G_ASCII_DTOSTR_BUF_SIZE];

  ms_run_text_add(text, "operation", "%s of %" G_GUINT64_FORMAT " %s", ms_reduce_operator(self->spec.op)->name, self->n,
                  ms_element_type_name(self->spec.type));
  ms_run_text_add(text, "device", "%s", self->device);
  ms_run_text_add(text, "variant", "%s", variant);
  ms_run_text_add(text, "chosen by", "%s", self->chosen_by);
  ms_run_text_add(text, "result", "%s", result);
  ms_run_text_add(text, "serial", "%s (%s)", reference, self->agrees ? "agrees" : "DIFFERS");
  ms_run_summary_add_text(&self->times, text);
  ms_run_text_add(text, "serial run", "%s ms", g_ascii_formatd(serial_ms, sizeof serial_ms, "%.4f", self->serial_ms));
  return g_string_free(text, FALSE);
}

static void
add_options(const MsReduceOptions *options, JsonBuilder *builder)
{
  guint n = 0;
  const MsOptionInfo *table = ms_reduce_options_table(&n);

  ms_json_begin_object(builder, "options");
  for (guint i = 0; i < n; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], options);
    ms_json_add_text(builder, table[i].json, value);
  }
  json_builder_end_object(builder);
}

/** ms_reduce_run_add_json: adds an object; results are strings, since 128-bit sums do not fit a JSON number. */
void
ms_reduce_run_add_json(const MsReduceRun *self, JsonBuilder *builder)
{
  g_autofree char *result = ms_reduce_result_to_string(&self->result);
  g_autofree char *reference = ms_reduce_result_to_string(&self->reference);
  g_autofree char *variant = ms_reduce_variant_to_string(&self->options, &self->spec);

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "operation", ms_reduce_operator(self->spec.op)->name);
  ms_json_add_text(builder, "type", ms_element_type_name(self->spec.type));
  ms_json_add_integer(builder, "size", (gint64)self->n);
  ms_json_add_text(builder, "device", self->device);
  ms_json_add_text(builder, "variant", variant);
  ms_json_add_text(builder, "chosen_by", self->chosen_by);
  add_options(&self->options, builder);
  ms_json_add_text(builder, "result", result);
  ms_json_add_text(builder, "serial_result", reference);
  ms_json_add_boolean(builder, "agrees", self->agrees);
  ms_run_summary_add_json(&self->times, builder);
  ms_json_add_number(builder, "upload_ms", self->upload_ms);
  ms_json_add_number(builder, "serial_ms", self->serial_ms);
  json_builder_end_object(builder);
}
