/* SPDX-License-Identifier: MIT */
#include "core/lab/array-run.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/lab/kinds/measure.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/generated-array.h"
#include "core/reduce/reduce-options.h"

/* The largest size that an experiment takes. */
#define MAX_ELEMENTS ((guint64)G_MAXINT32 * 64)

static gboolean
refuse_range(const char *text, GError **error)
{
  ms_set_error(error, MS_ERROR_USAGE, "--range cannot be '%s'; it takes two edges as numbers, as in --range 0:255.",
               text);
  return FALSE;
}

/**
 * ms_histogram_range_parse:
 * @text: (nullable): "LOW:HIGH", or %NULL for all values of an integer type, and for floats those that are generated
 *
 * Reads the argument of --range.
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when @text is not two numbers; ms_array_histogram() checks their order
 */
gboolean
ms_histogram_range_parse(const char *text, MsElementType type, double *low, double *high, GError **error)
{
  char *end = NULL;

  if (!text) {
    ms_generated_range(type, low, high);
    return TRUE;
  }
  *low = g_ascii_strtod(text, &end);
  if (end == text || *end != ':')
    return refuse_range(text, error);
  const char *second = end + 1;
  *high = g_ascii_strtod(second, &end);
  return (end != second && *end == '\0') || refuse_range(text, error);
}

void
ms_array_run_free(MsArrayRun *self)
{
  g_free(self->device);
  g_free(self->result);
  g_free(self->reference);
  g_free(self->untimed);
  g_clear_pointer(&self->counts, ms_array_histogram_free);
  g_free(self);
}

/* A histogram for the measuring loop; the array is generated before, so that a lack of memory is an error at once. */
typedef struct {
  MsConfiguration base;
  const MsHistogramRunRequest *request;
  void *array;
  MsArrayHistogram *expected;
  MsArrayHistogram *counts;
} Histogram;

static gboolean
histogram_run(MsConfiguration *base, MsSample *sample, GCancellable *cancellable, GError **error)
{
  Histogram *self = (Histogram *)base;
  const MsDeviceRun run = {base->context, base->log, cancellable};

  g_clear_pointer(&self->counts, ms_array_histogram_free);
  self->counts = ms_array_histogram(&run, &self->request->spec, self->array, self->request->n, error);
  return self->counts != NULL;
}

static gboolean
histogram_check(MsConfiguration *base, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  const MsArrayHistogram *a = ((Histogram *)base)->counts, *b = ((Histogram *)base)->expected;
  const gboolean equal = a->below == b->below && a->above == b->above && a->nan == b->nan &&
                         memcmp(a->counts, b->counts, a->bins * sizeof *a->counts) == 0;

  ms_verification_agree(verification, equal, N_("the serial counts"));
  return TRUE;
}

static void
histogram_finalize(MsConfiguration *base)
{
  Histogram *self = (Histogram *)base;

  free(self->array);
  g_clear_pointer(&self->expected, ms_array_histogram_free);
  g_clear_pointer(&self->counts, ms_array_histogram_free);
}

static const MsLabKind histogram_kind = {.name = "histogram",
                                         .size = sizeof(Histogram),
                                         .run = histogram_run,
                                         .check = histogram_check,
                                         .finalize = histogram_finalize};

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

static gboolean
check_reduction(const MsReduceRunRequest *request, GError **error)
{
  if (request->n > MAX_ELEMENTS) {
    ms_set_error(error, MS_ERROR_TOO_LARGE, "%" PRIu64 " elements are too many; a reduction takes up to %" PRIu64 ".",
                 request->n, MAX_ELEMENTS);
    return FALSE;
  }
  if (request->spec.channel < 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "A generated array has no channels; channels are reduced in images (--stats).");
  return FALSE;
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
  if (!check_reduction(request, error))
    return NULL;
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

/**
 * ms_histogram_run:
 *
 * Generates the array, counts it once to warm up and then @request->repeat times, and compares the counts.
 *
 * Returns: (transfer full): the run, also when the counts are wrong (see @agrees); %NULL with @error set when it could
 *   not run
 */
MsArrayRun *
ms_histogram_run(MsContext *context, const MsHistogramRunRequest *request, GCancellable *cancellable, GError **error)
{
  if (!ms_array_histogram_check(&request->spec, request->n, &context->device->limits, error))
    return NULL;
  g_autoptr(MsLabBench) bench = ms_lab_bench_new(context, NULL, NULL);
  g_autoptr(MsFactors) none = ms_factors_new();
  g_autoptr(MsArrayRun) self = g_new0(MsArrayRun, 1);
  g_autoptr(MsConfiguration) configuration = ms_configuration_new(&histogram_kind, bench, none, "histogram", error);
  Histogram *histogram = (Histogram *)configuration;

  histogram->request = &self->histogram;
  self->histogram = *request;
  histogram->array = ms_generated_array_new(request->spec.type, request->n, request->seed, error);
  if (histogram->array)
    histogram->expected = ms_array_histogram_serial(&request->spec, histogram->array, request->n, error);
  if (!histogram->expected || !measure(self, &histogram->base, request->n * ms_element_type_size(request->spec.type),
                                       request->repeat, cancellable, error))
    return NULL;
  self->counts = g_steal_pointer(&histogram->counts);
  return g_steal_pointer(&self);
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

static void
add_reduction_text(GString *text, const MsArrayRun *self)
{
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
}

static double
edge_of(const MsArrayHistogramSpec *spec, guint bin)
{
  return spec->low + (spec->high - spec->low) * bin / spec->bins;
}

static void
add_histogram_text(GString *text, const MsArrayRun *self)
{
  const MsArrayHistogramSpec *spec = &self->histogram.spec;
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];

  add_line(text, "operation", "histogram of %" G_GUINT64_FORMAT " %s in %u bins", self->histogram.n,
           ms_element_type_name(spec->type), spec->bins);
  add_line(text, "device", "%s", self->device);
  add_line(text, "serial", "%s", self->agrees ? "agrees" : "DIFFERS");
  add_times(text, self);
  add_line(text, "below", "%" G_GUINT64_FORMAT, self->counts->below);
  add_line(text, "above", "%" G_GUINT64_FORMAT, self->counts->above);
  add_line(text, "NaN", "%" G_GUINT64_FORMAT, self->counts->nan);
  g_string_append(text, "from\tto\tcount\n");
  for (guint i = 0; i < self->counts->bins; i++)
    if (self->counts->counts[i] > 0)
      g_string_append_printf(text, "%s\t%s\t%" G_GUINT64_FORMAT "\n",
                             g_ascii_formatd(low, sizeof low, "%.9g", edge_of(spec, i)),
                             g_ascii_formatd(high, sizeof high, "%.9g", edge_of(spec, i + 1)), self->counts->counts[i]);
}

/**
 * ms_array_run_to_text: (transfer full): one value a line; for a histogram then a tab-separated row for each bin that
 * is not empty.
 */
char *
ms_array_run_to_text(const MsArrayRun *self)
{
  GString *text = g_string_new(NULL);

  if (self->counts)
    add_histogram_text(text, self);
  else
    add_reduction_text(text, self);
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

static void
add_reduction_json(JsonBuilder *builder, const MsArrayRun *self)
{
  const MsReduceRunRequest *request = &self->reduce;
  const MsOptionInfo *table = ms_reduce_options.rows;
  g_autofree char *variant = ms_reduce_variant_to_string(&request->options, &request->spec);

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
}

static void
add_histogram_json(JsonBuilder *builder, const MsArrayRun *self)
{
  const MsArrayHistogramSpec *spec = &self->histogram.spec;

  ms_json_add_text(builder, "operation", "histogram");
  ms_json_add_text(builder, "type", ms_element_type_name(spec->type));
  ms_json_add_integer(builder, "size", (gint64)self->histogram.n);
  ms_json_add_text(builder, "device", self->device);
  ms_json_add_integer(builder, "bins", spec->bins);
  ms_json_add_number(builder, "low", spec->low);
  ms_json_add_number(builder, "high", spec->high);
  add_times_json(builder, self);
  ms_json_add_integer(builder, "below", (gint64)self->counts->below);
  ms_json_add_integer(builder, "above", (gint64)self->counts->above);
  ms_json_add_integer(builder, "nan", (gint64)self->counts->nan);
  ms_json_begin_array(builder, "counts");
  for (guint i = 0; i < self->counts->bins; i++)
    json_builder_add_int_value(builder, (gint64)self->counts->counts[i]);
  json_builder_end_array(builder);
}

/**
 * ms_array_run_add_json: adds an object. Results of reductions are strings, since 128-bit sums do not fit a JSON
 * number; the "counts" of a histogram have one number for each bin.
 */
void
ms_array_run_add_json(const MsArrayRun *self, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  if (self->counts)
    add_histogram_json(builder, self);
  else
    add_reduction_json(builder, self);
  json_builder_end_object(builder);
}
