/* SPDX-License-Identifier: MIT */
#include "core/lab/reduce-run.h"

#include <inttypes.h>

#include "core/json.h"
#include "core/lab/lab.h"
#include "core/reduce/variant.h"

/* The largest size that an experiment takes. */
#define MAX_ELEMENTS ((guint64)G_MAXINT32 * 64)

static gboolean
check_request(const MsReduceRunRequest *request, GError **error)
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

/* Makes the plan, which refuses options that cannot run and resolves `auto`. */
static gboolean
resolve_options(MsReduceRun *run, MsContext *context, const MsReduceRunRequest *request, GError **error)
{
  g_autoptr(MsReducePlan) plan =
    ms_reduce_plan_new(&request->spec, &request->options, ms_context_get_limits(context), request->n, error);

  if (!plan)
    return FALSE;
  run->options = plan->options;
  return TRUE;
}

/* (transfer full): the experiment whose only row is the reduction. */
static MsExperiment *
make_experiment(const MsReduceRunRequest *request)
{
  MsExperiment *experiment = ms_experiment_new("reduce", "Reduction", "reduce");
  g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, request->n);
  g_autofree char *variant = ms_reduce_variant_to_string(&request->options, NULL);

  ms_factors_set(experiment->fixed, "op", ms_reduce_operator(request->spec.op)->name);
  ms_factors_set(experiment->fixed, "type", ms_element_type_name(request->spec.type));
  ms_factors_set(experiment->fixed, "size", size);
  ms_factors_set(experiment->fixed, "variant", variant);
  return experiment;
}

/* (transfer full): the report of exactly the requested number of timed runs, without energy. */
static MsReport *
measure(MsContext *context, const MsReduceRunRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsExperiment) experiment = make_experiment(request);
  MsLabRequest lab;

  ms_lab_request_init(&lab, context, TRUE);
  ms_measure_options_init(&lab.measure, FALSE);
  lab.measure.warm_up = 0;
  lab.measure.min_repeats = lab.measure.max_repeats = MAX(request->repeat, 1);
  lab.measure.budget_s = G_MAXDOUBLE;
  return ms_lab_run_experiment(experiment, &lab, cancellable, error);
}

/**
 * ms_reduce_run:
 *
 * Measures the reduction of a generated array as an experiment of one row: one run to warm up, then @request->repeat
 * timed ones; the result is compared with the serial one.
 *
 * Returns: (transfer full): the run, also when the result is wrong (see @agrees); %NULL with @error set when it could
 *   not run
 */
MsReduceRun *
ms_reduce_run(MsContext *context, const MsReduceRunRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsReduceRun) run = g_new0(MsReduceRun, 1);
  g_autoptr(MsReport) report = NULL;

  run->spec = request->spec;
  run->n = request->n;
  run->bytes = request->n * ms_element_type_size(request->spec.type);
  run->chosen_by = request->tuned ? "tuning" : request->options.automatic ? "program" : "caller";
  run->device = g_strdup(ms_device_get_name(ms_context_get_device(context)));
  if (!check_request(request, error) || !resolve_options(run, context, request, error))
    return NULL;
  report = measure(context, request, cancellable, error);
  if (!report)
    return NULL;
  const MsReportRow *row = report->rows->pdata[0];
  const MsVerification *verification = &row->measurement->verification;
  if (!ms_run_check_outcome(row->measurement, error))
    return NULL;
  run->agrees = row->measurement->outcome == MS_OUTCOME_OK;
  run->result = g_strdup(verification->result);
  run->reference = g_strdup(verification->expected);
  run->serial_ms = verification->reference_ns * 1e-6;
  run->times = ms_run_summary_of(row->measurement, run->bytes, report->device.peak_read_gb_per_s);
  return g_steal_pointer(&run);
}

void
ms_reduce_run_free(MsReduceRun *self)
{
  g_free(self->result);
  g_free(self->reference);
  g_free(self->device);
  g_free(self);
}

/** ms_reduce_run_to_text: (transfer full): one value a line. */
char *
ms_reduce_run_to_text(const MsReduceRun *self)
{
  GString *text = g_string_new(NULL);
  g_autofree char *variant = ms_reduce_variant_to_string(&self->options, &self->spec);
  char serial_ms[G_ASCII_DTOSTR_BUF_SIZE];

  ms_run_text_add(text, "operation", "%s of %" G_GUINT64_FORMAT " %s", ms_reduce_operator(self->spec.op)->name, self->n,
                  ms_element_type_name(self->spec.type));
  ms_run_text_add(text, "device", "%s", self->device);
  ms_run_text_add(text, "variant", "%s", variant);
  ms_run_text_add(text, "chosen by", "%s", self->chosen_by);
  ms_run_text_add(text, "result", "%s", self->result);
  ms_run_text_add(text, "serial", "%s (%s)", self->reference, self->agrees ? "agrees" : "DIFFERS");
  ms_run_summary_add_text(&self->times, text);
  ms_run_text_add(text, "serial run", "%s ms", g_ascii_formatd(serial_ms, sizeof serial_ms, "%.4f", self->serial_ms));
  return g_string_free(text, FALSE);
}

static void
add_options(const MsReduceOptions *options, JsonBuilder *builder)
{
  const MsOptionInfo *table = ms_reduce_options.rows;

  ms_json_begin_object(builder, "options");
  for (guint i = 0; i < ms_reduce_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], options);
    ms_json_add_text(builder, table[i].json, value);
  }
  json_builder_end_object(builder);
}

/** ms_reduce_run_add_json: adds an object; results are strings, since 128-bit sums do not fit a JSON number. */
void
ms_reduce_run_add_json(const MsReduceRun *self, JsonBuilder *builder)
{
  g_autofree char *variant = ms_reduce_variant_to_string(&self->options, &self->spec);

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "operation", ms_reduce_operator(self->spec.op)->name);
  ms_json_add_text(builder, "type", ms_element_type_name(self->spec.type));
  ms_json_add_integer(builder, "size", (gint64)self->n);
  ms_json_add_text(builder, "device", self->device);
  ms_json_add_text(builder, "variant", variant);
  ms_json_add_text(builder, "chosen_by", self->chosen_by);
  add_options(&self->options, builder);
  ms_json_add_text(builder, "result", self->result);
  ms_json_add_text(builder, "serial_result", self->reference);
  ms_json_add_boolean(builder, "agrees", self->agrees);
  ms_run_summary_add_json(&self->times, builder);
  ms_json_add_number(builder, "serial_ms", self->serial_ms);
  json_builder_end_object(builder);
}
