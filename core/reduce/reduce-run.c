/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-run.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/reduce/bandwidth.h"
#include "core/reduce/launch.h"
#include "core/reduce/serial.h"
#include "core/reduce/variant.h"

/* What a sum of floats may differ from the serial one, relative to it. */
#define TOLERANCE 1e-6
#define ALIGNMENT 4096

static guint32
mix(guint32 seed, guint64 i)
{
  guint64 x = (i + 1) * 0x9e3779b97f4a7c15ull ^ ((guint64)seed << 32);

  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  return (guint32)(x >> 27);
}

/* Floats lie in [-0.25, 0.75): sums grow with n, so a relative tolerance means something. */
#define FILL(ctype, value)                                                                                             \
  for (guint64 i = 0; i < n; i++) {                                                                                    \
    const guint32 bits = mix(seed, i);                                                                                 \
    ((ctype *)data)[i] = (ctype)(value);                                                                               \
  }

static void
fill(MsElementType type, void *data, guint64 n, guint32 seed)
{
  switch (ms_element_type_size(type)) {
  case 1:
    FILL(guint8, bits)
    return;
  case 2:
    FILL(guint16, bits)
    return;
  case 8:
    FILL(double, bits / 4294967296.0 - 0.25)
    return;
  default:
    break;
  }
  if (type == MS_ELEMENT_FLOAT)
    FILL(float, bits / 4294967296.0 - 0.25)
  else
    FILL(guint32, bits)
}

/**
 * ms_reduce_generate:
 *
 * Returns: (transfer full): @n elements, the same on every machine, aligned to 4096 bytes; free with free(). %NULL with
 *   #MS_ERROR_USAGE for none, #MS_ERROR_MEMORY for too many
 */
void *
ms_reduce_generate(MsElementType type, guint64 n, guint32 seed, GError **error)
{
  gsize size = ms_element_type_size(type);
  void *data = NULL;

  if (n == 0) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return NULL;
  }
  if (n <= G_MAXSIZE / 2 / size)
    data = aligned_alloc(ALIGNMENT, (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (!data) {
    g_set_error(error, MS_ERROR, MS_ERROR_MEMORY, "There is no memory for %" G_GUINT64_FORMAT " elements of type %s.",
                n, ms_element_type_name(type));
    return NULL;
  }
  fill(type, data, n, seed);
  return data;
}

/** Bench: the array, on the device when it fits into one buffer. */
typedef struct {
  MsContext *context;
  MsReducer *reducer;
  void *data;
  cl_mem buffer;
  GArray *kernel_ms;
  GArray *wall_ms;
} Bench;

static void
bench_clear(Bench *self)
{
  g_clear_object(&self->reducer);
  g_clear_pointer(&self->buffer, clReleaseMemObject);
  g_clear_pointer(&self->kernel_ms, g_array_unref);
  g_clear_pointer(&self->wall_ms, g_array_unref);
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
  bench->data = ms_reduce_generate(request->spec.type, request->n, request->seed, error);
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
  g_array_append_val(bench->kernel_ms, kernels);
  g_array_append_val(bench->wall_ms, wall);
  if (log)
    ms_timing_log_append(log, own);
  return TRUE;
}

static gboolean
run_all(Bench *bench, MsReduceRun *run, MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  bench->kernel_ms = g_array_new(FALSE, FALSE, sizeof(double));
  bench->wall_ms = g_array_new(FALSE, FALSE, sizeof(double));
  if (!run_once(bench, run, log, FALSE, cancellable, error)) /* the first run pays for caches and code generation */
    return FALSE;
  for (guint i = 0; i < run->repeat; i++)
    if (!run_once(bench, run, log, TRUE, cancellable, error))
      return FALSE;
  return TRUE;
}

static int
compare_doubles(gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
sorted_at(GArray *values, guint index)
{
  return g_array_index(values, double, index);
}

static double
median(GArray *values)
{
  g_array_sort(values, compare_doubles);
  return (sorted_at(values, (values->len - 1) / 2) + sorted_at(values, values->len / 2)) / 2;
}

static void
summarise(Bench *bench, MsReduceRun *run)
{
  MsBandwidth peak;

  run->median_ms = median(bench->kernel_ms);
  run->min_ms = sorted_at(bench->kernel_ms, 0);
  run->max_ms = sorted_at(bench->kernel_ms, bench->kernel_ms->len - 1);
  run->wall_ms = median(bench->wall_ms);
  run->gb_per_s = run->median_ms > 0 ? (double)run->bytes / run->median_ms * 1e-6 : 0;
  if (ms_bandwidth_get(bench->context, NULL, &peak, NULL, NULL))
    run->peak_share = run->gb_per_s / peak.read;
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
  run->repeat = MAX(request->repeat, 1);
  run->chosen_by = request->tuned ? "tuning" : request->options.automatic ? "program" : "caller";
  run->device = g_strdup(ms_device_get_name(ms_context_get_device(context)));
  if (!check_request(request, error) || !prepare(&bench, request, run, log, error) ||
      !run_all(&bench, run, log, cancellable, error) || !check_result(&bench, run, error))
    return NULL;
  summarise(&bench, run);
  return g_steal_pointer(&run);
}

void
ms_reduce_run_free(MsReduceRun *self)
{
  g_free(self->device);
  g_free(self);
}

static char *
formatted(const char *format, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup(g_ascii_formatd(buffer, sizeof buffer, format, value));
}

static void
append_line(GString *text, const char *name, const char *format, double value, const char *unit)
{
  g_autofree char *number = formatted(format, value);

  g_string_append_printf(text, "%-10s %s%s\n", name, number, unit);
}

/** ms_reduce_run_to_text: (transfer full): one figure a line. */
char *
ms_reduce_run_to_text(const MsReduceRun *self)
{
  GString *text = g_string_new(NULL);
  g_autofree char *result = ms_reduce_result_to_string(&self->result);
  g_autofree char *reference = ms_reduce_result_to_string(&self->reference);
  g_autofree char *variant = ms_reduce_variant_to_string(&self->options, &self->spec);

  g_string_append_printf(text, "%-10s %s of %" G_GUINT64_FORMAT " %s\n", "operation", ms_reduce_op_name(self->spec.op),
                         self->n, ms_element_type_name(self->spec.type));
  g_string_append_printf(text, "%-10s %s\n%-10s %s\n%-10s %s\n%-10s %s\n", "device", self->device, "variant", variant,
                         "chosen by", self->chosen_by, "result", result);
  g_string_append_printf(text, "%-10s %s (%s)\n", "serial", reference, self->agrees ? "agrees" : "DIFFERS");
  append_line(text, "median", "%.4f", self->median_ms, " ms of kernels");
  append_line(text, "fastest", "%.4f", self->min_ms, " ms");
  append_line(text, "slowest", "%.4f", self->max_ms, " ms");
  append_line(text, "wall", "%.4f", self->wall_ms, " ms");
  append_line(text, "serial run", "%.4f", self->serial_ms, " ms");
  append_line(text, "bandwidth", "%.2f", self->gb_per_s, " GB/s");
  if (self->peak_share > 0)
    append_line(text, "of peak", "%.1f", 100 * self->peak_share, " %");
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
  ms_json_add_text(builder, "operation", ms_reduce_op_name(self->spec.op));
  ms_json_add_text(builder, "type", ms_element_type_name(self->spec.type));
  ms_json_add_integer(builder, "size", (gint64)self->n);
  ms_json_add_text(builder, "device", self->device);
  ms_json_add_text(builder, "variant", variant);
  ms_json_add_text(builder, "chosen_by", self->chosen_by);
  add_options(&self->options, builder);
  ms_json_add_text(builder, "result", result);
  ms_json_add_text(builder, "serial_result", reference);
  ms_json_add_boolean(builder, "agrees", self->agrees);
  ms_json_add_integer(builder, "repeat", self->repeat);
  ms_json_add_number(builder, "median_ms", self->median_ms);
  ms_json_add_number(builder, "min_ms", self->min_ms);
  ms_json_add_number(builder, "max_ms", self->max_ms);
  ms_json_add_number(builder, "wall_ms", self->wall_ms);
  ms_json_add_number(builder, "upload_ms", self->upload_ms);
  ms_json_add_number(builder, "serial_ms", self->serial_ms);
  ms_json_add_number(builder, "gb_per_s", self->gb_per_s);
  ms_json_add_number(builder, "peak_share", self->peak_share);
  json_builder_end_object(builder);
}
