/* SPDX-License-Identifier: MIT */
#include "core/reduce/runs/histogram-run.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/reduce/runs/generated-array.h"
#include "core/reduce/launch.h"

static gboolean
refuse_range(const char *text, GError **error)
{
  ms_set_error(error, MS_ERROR_USAGE, "--range cannot be “%s”; it takes the two edges as numbers, as in --range 0:255.",
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

static gboolean
run_once(MsHistogramRun *run, MsContext *context, const void *data, MsRunTimes *times, GCancellable *cancellable,
         GError **error)
{
  const MsHistogramRunRequest *request = &run->request;
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  gint64 start = g_get_monotonic_time();

  g_clear_pointer(&run->counts, ms_array_histogram_free);
  run->counts = ms_array_histogram(&(MsDeviceRun){context, log, cancellable}, &request->spec, data, request->n, error);
  double wall = (double)(g_get_monotonic_time() - start) / 1000.0;
  if (!run->counts || !ms_timing_log_resolve(log, error))
    return FALSE;
  if (times)
    ms_run_times_add(times, ms_log_kernel_ms(log), wall);
  return TRUE;
}

static gboolean
equals(const MsArrayHistogram *a, const MsArrayHistogram *b)
{
  return a->below == b->below && a->above == b->above && a->nan == b->nan &&
         memcmp(a->counts, b->counts, a->bins * sizeof *a->counts) == 0;
}

static gboolean
run_all(MsHistogramRun *run, MsContext *context, const void *data, GCancellable *cancellable, GError **error)
{
  const MsHistogramRunRequest *request = &run->request;
  g_auto(MsRunTimes) times = {NULL};
  g_autoptr(MsArrayHistogram) expected = ms_array_histogram_serial(&request->spec, data, request->n, error);

  /* The first run pays for the compiler and the caches, and is not timed. */
  if (!expected || !run_once(run, context, data, NULL, cancellable, error))
    return FALSE;
  ms_run_times_init(&times);
  for (guint i = 0; i < MAX(request->repeat, 1); i++)
    if (!run_once(run, context, data, &times, cancellable, error))
      return FALSE;
  run->agrees = equals(run->counts, expected);
  run->times = ms_run_times_summarise(&times, context, request->n * ms_element_type_size(request->spec.type));
  return TRUE;
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
  g_autoptr(MsHistogramRun) run = g_new0(MsHistogramRun, 1);
  void *data = ms_generated_array_new(request->spec.type, request->n, request->seed, error);
  gboolean good;

  if (!data)
    return NULL;
  run->request = *request;
  run->device = g_strdup(ms_device_get_name(ms_context_get_device(context)));
  good = run_all(run, context, data, cancellable, error);
  free(data);
  return good ? g_steal_pointer(&run) : NULL;
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

/** ms_histogram_run_to_text: (transfer full): one figure a line, then a tab-separated row for each bin not empty. */
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
