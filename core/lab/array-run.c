/* SPDX-License-Identifier: MIT */
#include "core/lab/array-run.h"

#include <inttypes.h>
#include <math.h>

#include "core/json.h"
#include "core/lab/kinds/measure.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/reduce-options.h"

/* The largest size that an experiment takes. */
#define MAX_ELEMENTS ((guint64)G_MAXINT32 * 64)

void
ms_array_run_free(MsArrayRun *self)
{
  g_free(self->device);
  g_free(self->result);
  g_free(self->reference);
  g_free(self->untimed);
  g_free(self);
}

/*
 * Runs a configuration once to warm up and verify it and then @repeat times. A wrong result is no error.
 *
 * @bytes: of the array, which each run reads once
 */
static gboolean
measure(MsArrayRun *self, MsConfiguration *configuration, guint64 bytes, guint repeat, GCancellable *cancellable,
        GError **error)
{
  g_autoptr(MsMeasurement) m = ms_measurement_new();
  MsMeasureOptions options;
  MsBandwidth peak = {0};

  if (!ms_bandwidth_get(configuration->context, NULL, &peak, cancellable, NULL))
    peak.read = 0;
  ms_measure_options_init(&options, FALSE);
  options.warm_up = 0;
  options.min_repeats = options.max_repeats = MAX(repeat, 1);
  options.budget_s = G_MAXDOUBLE;
  if (!ms_measure(&configuration, &m, 1, &options, cancellable, error))
    return FALSE;
  const gboolean is_untimed = m->outcome == MS_OUTCOME_RUN && m->verification.done && m->rejected > 0;
  if (m->outcome != MS_OUTCOME_OK && m->outcome != MS_OUTCOME_WRONG && !is_untimed) {
    ms_set_error_literal(error, m->outcome == MS_OUTCOME_BUILD ? MS_ERROR_BUILD : MS_ERROR_DEVICE, m->message);
    return FALSE;
  }
  self->device = g_strdup(configuration->context->device->name);
  self->by_wall_clock = configuration->context->by_wall_clock;
  self->agrees = m->verification.mismatches == 0;
  self->result = g_strdup(m->verification.result);
  self->reference = g_strdup(m->verification.expected);
  self->serial_ms = m->verification.reference_ns * 1e-6;
  self->untimed = is_untimed ? g_strdup(m->message) : NULL;
  self->repeat = is_untimed ? 0 : m->samples->len;
  self->median_ms = self->min_ms = self->max_ms = self->wall_ms = self->gb_per_s = self->peak_share = NAN;
  if (self->repeat == 0)
    return TRUE;
  const MsSummary times = ms_measurement_summarise(m);
  self->median_ms = times.median * 1e-6;
  self->min_ms = times.minimum * 1e-6;
  self->max_ms = times.maximum * 1e-6;
  self->wall_ms = ms_statistics_quantile((const double *)(const void *)m->walls->data, m->walls->len, 0.5) * 1e-6;
  if (times.median > 0)
    self->gb_per_s = (double)bytes / times.median;
  if (peak.read > 0 && times.median > 0) {
    ms_bandwidth_confirm(configuration->context, NULL, self->gb_per_s, &peak, cancellable);
    self->peak_share = self->gb_per_s / peak.read;
  }
  return TRUE;
}

static MsFactors *
describe_reduction(const MsReduceRunRequest *request)
{
  MsFactors *factors = ms_factors_new();
  g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, request->n);
  g_autofree char *variant = ms_reduce_variant_to_string(&request->options, NULL);

  ms_factors_set(factors, "op", ms_reduce_operator(request->spec.op)->name);
  ms_factors_set(factors, "type", ms_element_type_name(request->spec.type));
  ms_factors_set(factors, "size", size);
  ms_factors_set(factors, "variant", variant);
  return factors;
}

/**
 * ms_reduce_run:
 *
 * Measures the reduction of a generated array: one run to warm up, then @request->repeat timed ones; the result is
 * compared with the serial one.
 *
 * Returns: (transfer full): the run, also when the result is wrong (see @agrees); %NULL with @error set when it could
 *   not run
 */
MsArrayRun *
ms_reduce_run(MsContext *context, const MsReduceRunRequest *request, GCancellable *cancellable, GError **error)
{
  if (request->n > MAX_ELEMENTS) {
    ms_set_error(error, MS_ERROR_TOO_LARGE, "%" PRIu64 " elements are too many; a reduction takes up to %" PRIu64 ".",
                 request->n, MAX_ELEMENTS);
    return NULL;
  }
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(context, NULL, NULL);
  g_autoptr(MsArrayRun) self = g_new0(MsArrayRun, 1);
  g_autoptr(MsFactors) factors = describe_reduction(request);
  /* The plan resolves `auto`, and refuses options that cannot run. */
  g_autoptr(MsReducePlan) plan =
    ms_reduce_plan_new(&request->spec, &request->options, &context->device->limits, request->n, error);
  g_autoptr(MsConfiguration) configuration =
    plan ? ms_configuration_new(ms_lab_kind_find("reduce"), bench, factors, "reduce", error) : NULL;

  if (!configuration)
    return NULL;
  self->reduce = *request;
  self->reduce.options = plan->options;
  self->chosen_by = request->options.automatic ? "program" : "caller";
  return measure(self, configuration, request->n * ms_element_type_size(request->spec.type), request->repeat,
                 cancellable, error)
           ? g_steal_pointer(&self)
           : NULL;
}

static void add_line(GString *text, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Adds a line "NAME VALUE" to a report; numbers must already be text of the C locale. */
static void
add_line(GString *text, const char *name, const char *format, ...)
{
  va_list arguments;

  g_string_append_printf(text, "%-10s ", name);
  va_start(arguments, format);
  g_string_append_vprintf(text, format, arguments);
  va_end(arguments);
  g_string_append_c(text, '\n');
}

/* Adds no line for an unknown number, which is NaN. */
static void
add_number(GString *text, const char *name, const char *format, double value, const char *unit)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan(value))
    return;
  g_ascii_formatd(number, sizeof number, format, value);
  add_line(text, name, "%s %s", number, unit);
}

static void
add_times(GString *text, const MsArrayRun *self)
{
  if (self->untimed)
    add_line(text, "times", "%s", self->untimed);
  if (self->by_wall_clock)
    add_line(text, "clock", "%s", "wall clock: this driver's events give no times");
  add_number(text, "median", "%.4f", self->median_ms, "ms of kernels");
  add_number(text, "fastest", "%.4f", self->min_ms, "ms");
  add_number(text, "slowest", "%.4f", self->max_ms, "ms");
  add_number(text, "wall", "%.4f", self->wall_ms, "ms");
  add_number(text, "bandwidth", "%.2f", self->gb_per_s, "GB/s");
  add_number(text, "of peak", "%.1f", 100 * self->peak_share, "%");
}

/** ms_array_run_to_text: (transfer full): one value a line. */
char *
ms_array_run_to_text(const MsArrayRun *self)
{
  GString *text = g_string_new(NULL);
  const MsReduceRunRequest *request = &self->reduce;
  g_autofree char *variant = ms_reduce_variant_to_string(&request->options, &request->spec);

  add_line(text, "operation", "%s of %" G_GUINT64_FORMAT " %s", ms_reduce_operator(request->spec.op)->name, request->n,
           ms_element_type_name(request->spec.type));
  add_line(text, "device", "%s", self->device);
  add_line(text, "variant", "%s", variant);
  add_line(text, "chosen by", "%s", self->chosen_by);
  add_line(text, "result", "%s", self->result);
  add_line(text, "serial", "%s (%s)", self->reference, self->agrees ? "agrees" : "DIFFERS");
  add_times(text, self);
  add_number(text, "serial run", "%.4f", self->serial_ms, "ms");
  return g_string_free(text, FALSE);
}

static void
add_times_json(JsonBuilder *builder, const MsArrayRun *self)
{
  ms_json_add_boolean(builder, "agrees", self->agrees);
  ms_json_add_integer(builder, "repeat", self->repeat);
  ms_json_add_boolean(builder, "by_wall_clock", self->by_wall_clock);
  ms_json_add_number(builder, "median_ms", self->median_ms);
  ms_json_add_number(builder, "min_ms", self->min_ms);
  ms_json_add_number(builder, "max_ms", self->max_ms);
  ms_json_add_number(builder, "wall_ms", self->wall_ms);
  ms_json_add_number(builder, "gb_per_s", self->gb_per_s);
  ms_json_add_number(builder, "peak_share", self->peak_share);
}

/** ms_array_run_add_json: adds an object; results are strings, since 128-bit sums do not fit a JSON number. */
void
ms_array_run_add_json(const MsArrayRun *self, JsonBuilder *builder)
{
  const MsReduceRunRequest *request = &self->reduce;
  const MsOptionInfo *table = ms_reduce_options.rows;
  g_autofree char *variant = ms_reduce_variant_to_string(&request->options, &request->spec);

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "operation", ms_reduce_operator(request->spec.op)->name);
  ms_json_add_text(builder, "type", ms_element_type_name(request->spec.type));
  ms_json_add_integer(builder, "size", (gint64)request->n);
  ms_json_add_text(builder, "device", self->device);
  ms_json_add_text(builder, "variant", variant);
  ms_json_add_text(builder, "chosen_by", self->chosen_by);
  ms_json_begin_object(builder, "options");
  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], &request->options);
    ms_json_add_text(builder, table[i].json, value);
  }
  json_builder_end_object(builder);
  ms_json_add_text(builder, "result", self->result);
  ms_json_add_text(builder, "serial_result", self->reference);
  add_times_json(builder, self);
  ms_json_add_number(builder, "serial_ms", self->serial_ms);
  json_builder_end_object(builder);
}
