/* SPDX-License-Identifier: MIT */
#include "core/lab/histogram-run.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/lab/kinds/bench.h"
#include "core/lab/measure/measure.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/runs/generated-array.h"

static gboolean
refuse_range(const char *text, GError **error)
{
  ms_set_error(error, MS_ERROR_USAGE, "--range cannot be “%s”; it takes two edges as numbers, as in --range 0:255.",
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

/** HistogramSubject: the histogram of a generated array as the measuring loop sees it. */
typedef struct {
  MsSubject parent;
  const MsHistogramRunRequest *request;
  MsContext *context;
  MsTimingLog *log;
  void *data;
  MsArrayHistogram *expected;
  MsArrayHistogram *counts;
} HistogramSubject;

/* Generates the array before the measurement, so that a lack of memory is an error of the call. */
static gboolean
histogram_prepare(MsSubject *subject, GCancellable *cancellable, GError **error)
{
  return TRUE;
}

static gboolean
histogram_run(MsSubject *subject, MsSample *sample, GCancellable *cancellable, GError **error)
{
  HistogramSubject *self = (HistogramSubject *)subject;
  const MsDeviceRun run = {self->context, self->log, cancellable};

  g_clear_pointer(&self->counts, ms_array_histogram_free);
  ms_timing_log_clear(self->log);
  self->counts = ms_array_histogram(&run, &self->request->spec, self->data, self->request->n, error);
  if (!self->counts || !ms_timing_log_resolve(self->log, error))
    return FALSE;
  ms_lab_take_log(self->log, sample, 1u << MS_STAGE_KERNEL);
  return TRUE;
}

static gboolean
equals(const MsArrayHistogram *a, const MsArrayHistogram *b)
{
  return a->below == b->below && a->above == b->above && a->nan == b->nan &&
         memcmp(a->counts, b->counts, a->bins * sizeof *a->counts) == 0;
}

static gboolean
histogram_verify(MsSubject *subject, MsVerification *verification, GCancellable *cancellable, GError **error)
{
  HistogramSubject *self = (HistogramSubject *)subject;

  verification->total = 1;
  verification->mismatches = equals(self->counts, self->expected) ? 0 : 1;
  verification->against = g_strdup(N_("the serial counts"));
  return TRUE;
}

static void
histogram_finalize(MsSubject *subject)
{
  HistogramSubject *self = (HistogramSubject *)subject;

  free(self->data);
  g_clear_pointer(&self->expected, ms_array_histogram_free);
  g_clear_pointer(&self->counts, ms_array_histogram_free);
  g_clear_object(&self->log);
}

static const MsSubjectFuncs histogram_funcs = {histogram_prepare, histogram_run, histogram_verify, NULL,
                                               histogram_finalize};

static HistogramSubject *
subject_new(MsContext *context, const MsHistogramRunRequest *request, GError **error)
{
  HistogramSubject *self = g_new0(HistogramSubject, 1);

  ms_subject_init(&self->parent, &histogram_funcs, "histogram");
  self->context = context;
  self->request = request;
  self->log = ms_timing_log_new();
  self->data = ms_generated_array_new(request->spec.type, request->n, request->seed, error);
  if (self->data)
    self->expected = ms_array_histogram_serial(&request->spec, self->data, request->n, error);
  if (self->expected)
    return self;
  ms_subject_free(&self->parent);
  return NULL;
}

static gboolean
measure(HistogramSubject *subject, MsMeasurement *measurement, GCancellable *cancellable, GError **error)
{
  const MsMeasureGroup group = {(MsSubject *[]){&subject->parent}, &measurement, 1};
  MsMeasureOptions options;

  ms_measure_options_init(&options, FALSE);
  options.warm_up = 0;
  options.min_repeats = options.max_repeats = MAX(subject->request->repeat, 1);
  options.budget_s = G_MAXDOUBLE;
  return ms_measure(&group, &options, cancellable, error) && ms_run_check_outcome(measurement, error);
}

/**
 * ms_histogram_run:
 *
 * Generates the array, counts it once to warm up and then @request->repeat times, and compares the counts.
 *
 * Returns: (transfer full): the run, also when the counts are wrong (see @agrees); %NULL with @error set when it could
 *   not run
 */
MsHistogramRun *
ms_histogram_run(MsContext *context, const MsHistogramRunRequest *request, GCancellable *cancellable, GError **error)
{
  HistogramSubject *counted = NULL;
  g_autoptr(MsMeasurement) measurement = ms_measurement_new();
  MsBandwidth peak = {0};

  if (ms_array_histogram_check(&request->spec, request->n, ms_context_get_limits(context), error))
    counted = subject_new(context, request, error);
  if (!counted)
    return NULL;
  g_autoptr(MsSubject) subject = &counted->parent;
  if (!measure(counted, measurement, cancellable, error))
    return NULL;
  MsHistogramRun *run = g_new0(MsHistogramRun, 1);
  run->request = *request;
  run->counts = g_steal_pointer(&counted->counts);
  run->agrees = measurement->outcome == MS_OUTCOME_OK;
  run->device = g_strdup(ms_device_get_name(ms_context_get_device(context)));
  if (!ms_bandwidth_get(context, NULL, &peak, cancellable, NULL))
    peak.read = 0;
  run->times = ms_run_summary_of(measurement, request->n * ms_element_type_size(request->spec.type), peak.read);
  return run;
}

void
ms_histogram_run_free(MsHistogramRun *self)
{
  g_clear_pointer(&self->counts, ms_array_histogram_free);
  g_free(self->device);
  g_free(self);
}

static double
edge_of(const MsArrayHistogramSpec *spec, guint bin)
{
  return spec->low + (spec->high - spec->low) * bin / spec->bins;
}

static void
add_bin(GString *text, const MsArrayHistogramSpec *spec, guint bin, guint64 count)
{
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd(low, sizeof low, "%.9g", edge_of(spec, bin));
  g_ascii_formatd(high, sizeof high, "%.9g", edge_of(spec, bin + 1));
  g_string_append_printf(text, "%s\t%s\t%" G_GUINT64_FORMAT "\n", low, high, count);
}

static void
add_table(const MsHistogramRun *self, GString *text)
{
  g_string_append(text, "from\tto\tcount\n");
  for (guint i = 0; i < self->counts->bins; i++)
    if (self->counts->counts[i] > 0)
      add_bin(text, &self->request.spec, i, self->counts->counts[i]);
}

/**
 * ms_histogram_run_to_text: (transfer full): one value a line, then a tab-separated row for each bin that is not empty.
 */
char *
ms_histogram_run_to_text(const MsHistogramRun *self)
{
  GString *text = g_string_new(NULL);

  ms_run_text_add(text, "operation", "histogram of %" G_GUINT64_FORMAT " %s in %u bins", self->request.n,
                  ms_element_type_name(self->request.spec.type), self->request.spec.bins);
  ms_run_text_add(text, "device", "%s", self->device);
  ms_run_text_add(text, "serial", "%s", self->agrees ? "agrees" : "DIFFERS");
  ms_run_summary_add_text(&self->times, text);
  ms_run_text_add(text, "below", "%" G_GUINT64_FORMAT, self->counts->below);
  ms_run_text_add(text, "above", "%" G_GUINT64_FORMAT, self->counts->above);
  ms_run_text_add(text, "NaN", "%" G_GUINT64_FORMAT, self->counts->nan);
  add_table(self, text);
  return g_string_free(text, FALSE);
}

/** ms_histogram_run_add_json: adds an object; "counts" has one number for each bin. */
void
ms_histogram_run_add_json(const MsHistogramRun *self, JsonBuilder *builder)
{
  const MsArrayHistogramSpec *spec = &self->request.spec;

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "operation", "histogram");
  ms_json_add_text(builder, "type", ms_element_type_name(spec->type));
  ms_json_add_integer(builder, "size", (gint64)self->request.n);
  ms_json_add_text(builder, "device", self->device);
  ms_json_add_integer(builder, "bins", spec->bins);
  ms_json_add_number(builder, "low", spec->low);
  ms_json_add_number(builder, "high", spec->high);
  ms_json_add_boolean(builder, "agrees", self->agrees);
  ms_run_summary_add_json(&self->times, builder);
  ms_json_add_integer(builder, "below", (gint64)self->counts->below);
  ms_json_add_integer(builder, "above", (gint64)self->counts->above);
  ms_json_add_integer(builder, "nan", (gint64)self->counts->nan);
  ms_json_begin_array(builder, "counts");
  for (guint i = 0; i < self->counts->bins; i++)
    json_builder_add_int_value(builder, (gint64)self->counts->counts[i]);
  json_builder_end_array(builder);
  json_builder_end_object(builder);
}
