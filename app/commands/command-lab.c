/* SPDX-License-Identifier: MIT */
#include "app/commands/command.h"

#include <stdlib.h>
#include <string.h>

#include "app/report/progress-json.h"
#include "app/report/report-file.h"
#include "core/engine/engine.h"
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"
#include "core/json.h"
#include "core/lab/lab-tune.h"
#include "core/lab/lab.h"
#include "core/lab/report/report.h"
#include "core/reduce/reduce-options.h"
#include "core/reduce/reduce-plan.h"

/* How often the parent is told what was measured so far. */
#define SO_FAR_US (300 * 1000)

typedef struct {
  const MsCommandLine *line;
  MsConsole *console;
  GCancellable *cancellable;
  MsLabLog *log;   /* (nullable): in a child that the guard watches */
  gint64 noted_us; /* when the parent was told last what was measured */
} Command;

static void
show_progress(Command *c, double fraction, const char *what)
{
  ms_console_progress(c->console, 0, 1, what, fraction);
  ms_progress_fraction(c->console, fraction, what);
}

/* Tells the parent what is measured, which is shown if the device never opens again. */
static void
note_so_far(Command *c, const MsReport *report)
{
  const gint64 now = g_get_monotonic_time();

  if (now - c->noted_us < SO_FAR_US)
    return;
  c->noted_us = now;
  g_autoptr(JsonNode) node = ms_report_to_json_node(report);
  g_autoptr(MsReport) ranked = ms_report_from_node(node, NULL);
  g_autofree char *text = ms_report_to_text(ranked);
  g_autofree char *shown = g_strdup_printf("%s\nIncomplete: the driver ended the measurement.\n", text);
  ms_console_note_so_far(c->console, shown);
}

static void
on_experiment_progress(const MsReport *report, double fraction, const char *message, gpointer data)
{
  ms_progress_report(((Command *)data)->console, report, FALSE);
  show_progress(data, fraction, message);
  note_so_far(data, report);
}

static void
on_tune_progress(MsReport *report, const MsReportRow *trial, double fraction, gpointer data)
{
  ms_progress_report(((Command *)data)->console, report, FALSE);
  show_progress(data, fraction, trial ? trial->label : "");
}

static gboolean
load_image(Command *c, MsImage **image, GError **error)
{
  const MsImageLimits limits = c->line->batch.limits;

  *image = c->line->batch.inputs[0] ? ms_image_load(c->line->batch.inputs[0], &limits, c->cancellable, error) : NULL;
  return *image || !c->line->batch.inputs[0];
}

static gboolean
write_reports(Command *c, GPtrArray *reports, GError **error)
{
  g_autoptr(GPtrArray) nodes = g_ptr_array_new();

  ms_console_begin_results(c->console);
  for (guint i = 0; i < reports->len; i++) {
    g_autofree char *text = ms_report_to_text(g_ptr_array_index(reports, i));
    ms_console_print(c->console, text);
    ms_progress_report(c->console, g_ptr_array_index(reports, i), TRUE);
    g_ptr_array_add(nodes, ms_report_to_json_node(g_ptr_array_index(reports, i)));
  }
  return ms_report_file_save_nodes(c->line->json, "experiments", nodes, c->cancellable, error);
}

/* Fails when no configuration could be compared, since nothing then shows that the program is not slower. */
static MsExitStatus
judge(const MsCommandLine *line, GPtrArray *comparisons, GError **error)
{
  if (!line->fail_on_slower)
    return MS_EXIT_DONE;
  if (ms_comparisons_judged(comparisons) > 0)
    return ms_comparisons_slower(comparisons) ? MS_EXIT_SOME_FAILED : MS_EXIT_DONE;
  ms_set_error(error, MS_ERROR_FORMAT,
               "--fail-on-slower had nothing to compare: no configuration has a time both now and in %s; measure the "
               "baseline anew in the same way, with or without --quick.",
               line->compare);
  return MS_EXIT_SOME_FAILED;
}

static MsExitStatus
compare_reports(Command *c, GPtrArray *baseline, GPtrArray *reports, double noise, GError **error)
{
  g_autoptr(GPtrArray) comparisons = ms_compare_all(baseline, reports, noise);

  for (guint i = 0; i < comparisons->len; i++) {
    g_autofree char *text = ms_comparison_to_text(g_ptr_array_index(comparisons, i));
    ms_console_print(c->console, text);
  }
  return judge(c->line, comparisons, error);
}

/* Reads the baseline before anything is measured, so that a wrong name is reported at once. */
static gboolean
load_baseline(Command *c, const char *const *names, GPtrArray **baseline, GError **error)
{
  if (!c->line->compare)
    return TRUE;
  *baseline = ms_lab_baseline_load(c->line->compare, names, error);
  if (!*baseline)
    ms_prefix_error(error, "--compare needs an earlier report of these experiments: ");
  return *baseline != NULL;
}

/*
 * A wrong result affects the exit status, and an experiment none of whose configurations has a time; other failures of
 * a configuration are shown in its row.
 */
static MsExitStatus
status_of_reports(GPtrArray *reports, GError **error)
{
  const MsReport *empty = NULL;

  for (guint i = 0; i < reports->len; i++) {
    const MsReport *report = g_ptr_array_index(reports, i);
    if (ms_report_count(report, MS_OUTCOME_WRONG) > 0)
      return MS_EXIT_DIFFERENT;
    if (!empty && ms_report_count(report, MS_OUTCOME_OK) == 0)
      empty = report;
  }
  if (!empty)
    return MS_EXIT_DONE;
  g_autofree char *why = ms_report_first_message(empty);
  ms_set_error(error, MS_ERROR_FORMAT, "No configuration of the experiment '%s' has a time. The first: %s",
               empty->experiment->name, why);
  return MS_EXIT_SOME_FAILED;
}

static gboolean
open_devices(Command *c, MsContext **context, GPtrArray **contexts, GError **error)
{
  if (!c->line->devices) {
    *context = ms_command_open_context(c->line, c->console, error);
    return *context != NULL;
  }
  *contexts = ms_engine_open_contexts(c->line->devices, ms_console_print_note, c->console, error);
  *context = *contexts ? ms_context_ref(g_ptr_array_index(*contexts, 0)) : NULL;
  return *context != NULL;
}

static void
apply_measure_options(const MsCommandLine *line, MsMeasureOptions *measure)
{
  if (line->budget > 0)
    measure->budget_s = line->budget;
  if (line->noise > 0)
    measure->noise = line->noise / 100;
  if (ms_command_line_has(line, "repeat"))
    measure->min_repeats = measure->max_repeats = (guint)line->batch.repeat;
}

static MsExitStatus
run_experiments(Command *c, GError **error)
{
  const char *names[] = {c->line->experiment, NULL};
  g_autoptr(MsContext) context = NULL;
  g_autoptr(GPtrArray) contexts = NULL;
  g_autoptr(MsImage) image = NULL;
  g_autoptr(GPtrArray) reports = NULL;
  g_autoptr(GPtrArray) baseline = NULL;
  g_autoptr(GPtrArray) unfinished = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);
  MsLabRequest request;
  MsExitStatus status;

  if (!load_baseline(c, names, &baseline, error) || !load_image(c, &image, error) ||
      !open_devices(c, &context, &contexts, error))
    return ms_exit_status_for_error(*error);
  ms_lab_request_init(&request, context, c->line->quick);
  apply_measure_options(c->line, &request.measure);
  request.contexts = contexts;
  request.image = image;
  request.input = c->line->batch.inputs[0];
  request.report_dir = c->line->report_dir;
  request.resume = c->line->batch.resume;
  request.columns = (MsColumns)c->line->columns;
  request.accept_disturbed = c->line->accept_disturbed;
  request.log = c->log;
  request.unfinished = unfinished;
  request.progress = on_experiment_progress;
  request.progress_data = c;
  reports = ms_lab_run_experiments(names, &request, c->cancellable, error);
  if (!reports)
    write_reports(c, unfinished, NULL);
  if (!reports || !write_reports(c, reports, error))
    return ms_exit_status_for_error(*error);
  status = status_of_reports(reports, error);
  if (status != MS_EXIT_DONE || !baseline)
    return status;
  return compare_reports(c, baseline, reports, request.measure.noise, error);
}

/* Collects the options given on the command line, which the search keeps fixed. */
static MsFactors *
fixed_factors(const MsCommandLine *line)
{
  MsFactors *fixed = ms_factors_new();
  const MsOptionInfo *infos = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const gboolean by_preset = line->preset && !ms_option_is_default(&infos[i], &line->batch.settings);
    if (!by_preset && !ms_command_line_has(line, infos[i].name))
      continue;
    g_autofree char *value = ms_option_get_text(&infos[i], &line->batch.settings);
    ms_factors_set(fixed, infos[i].name, value);
  }
  return fixed;
}

static MsExitStatus
report_tuning(Command *c, MsReport *report, GError **error)
{
  const MsAtomicPlace place = {.folder = c->line->report_dir};
  g_autoptr(GPtrArray) reports = g_ptr_array_new();

  g_ptr_array_add(reports, report);
  if (!write_reports(c, reports, error) ||
      (place.folder && (!ms_report_save(report, &place, error) || !ms_report_save_index(reports, &place, error))))
    return MS_EXIT_SOME_FAILED;
  return ms_tune_check(report, error) ? MS_EXIT_DONE : ms_exit_status_for_error(*error);
}

static MsExitStatus
run_tuning(Command *c, GError **error)
{
  g_autoptr(MsContext) context = NULL;
  g_autoptr(MsImage) image = NULL;
  g_autoptr(MsFactors) fixed = fixed_factors(c->line);
  g_autoptr(MsReport) report = NULL, unfinished = NULL;
  MsLabTuneRequest request;

  if (!load_image(c, &image, error))
    return ms_exit_status_for_error(*error);
  context = ms_command_open_context(c->line, c->console, error);
  if (!context)
    return ms_exit_status_for_error(*error);
  ms_lab_tune_request_init(&request, context);
  request.image = image;
  request.fixed = fixed;
  request.fresh = c->line->fresh;
  if (c->line->budget > 0)
    request.budget_s = c->line->budget;
  request.progress = on_tune_progress;
  request.progress_data = c;
  request.log = c->log;
  request.unfinished = &unfinished;
  report = ms_lab_tune(&request, c->cancellable, error);
  if (report)
    return report_tuning(c, report, error);
  if (unfinished) {
    g_autoptr(GError) ignored = NULL;
    report_tuning(c, unfinished, &ignored);
    ms_console_print(c->console, c->line->fresh
                                   ? "Incomplete: the search was interrupted; without --fresh the command resumes it.\n"
                                   : "Incomplete: the search was interrupted; the same command resumes it.\n");
  }
  return ms_exit_status_for_error(*error);
}

/* (transfer full): the experiment of one row that --reduce is; the plan says what "auto" is, and refuses a variant. */
static MsExperiment *
describe_reduction(const MsCommandLine *line, const MsDeviceLimits *limits, GError **error)
{
  MsReduceSpec spec = MS_REDUCE_SPEC(MS_REDUCE_SUM, MS_ELEMENT_INT);
  MsReduceOptions options = ms_reduce_options_auto();

  if (!ms_reduce_op_parse(line->reduce, &spec.op, error) || !ms_element_type_parse(line->type, &spec.type, error) ||
      !ms_reduce_variant_parse(line->variant, &options, error) ||
      !ms_reduce_variant_check_used(line->variant, &spec, error))
    return NULL;
  g_autoptr(MsReducePlan) plan = ms_reduce_plan_new(&spec, &options, limits, line->size, error);
  if (!plan)
    return NULL;
  g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, line->size);
  g_autofree char *variant = ms_reduce_variant_to_string(&plan->options, &spec);
  g_autofree char *title = g_strdup_printf("%s of %s %s, computed %s", line->reduce, size, line->type,
                                           options.automatic ? "as the program chooses" : "as asked for");
  MsExperiment *experiment = ms_experiment_new("reduce", title, "reduce");
  ms_experiment_add_axis(experiment, "variant", (const char *const[]){variant, NULL}, NULL);
  ms_factors_set(experiment->fixed, "op", line->reduce);
  ms_factors_set(experiment->fixed, "type", line->type);
  ms_factors_set(experiment->fixed, "size", size);
  return experiment;
}

/* A result that was compared is one, whatever the times; a run that failed is an error. */
static MsExitStatus
status_of_reduction(const MsReport *report, GError **error)
{
  const MsMeasurement *m = ((const MsReportRow *)report->rows->pdata[0])->measurement;

  if (m->verification.done)
    return m->verification.mismatches > 0 ? MS_EXIT_DIFFERENT : MS_EXIT_DONE;
  ms_set_error_literal(error, m->outcome == MS_OUTCOME_BUILD ? MS_ERROR_BUILD : MS_ERROR_DEVICE, m->message);
  return ms_exit_status_for_error(*error);
}

static MsExitStatus
run_reduction(Command *c, GError **error)
{
  g_autoptr(MsContext) context = ms_command_open_context(c->line, c->console, error);
  g_autoptr(MsExperiment) experiment = context ? describe_reduction(c->line, &context->device->limits, error) : NULL;
  g_autoptr(GPtrArray) reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);
  MsLabRequest request;

  if (!experiment)
    return ms_exit_status_for_error(*error);
  ms_progress_fraction(c->console, 0, c->line->reduce);
  ms_lab_request_init(&request, context, FALSE);
  request.accept_disturbed = TRUE;
  request.measure.warm_up = 0;
  request.measure.min_repeats = request.measure.max_repeats = (guint)MAX(c->line->batch.repeat, 1);
  request.measure.budget_s = G_MAXDOUBLE;
  MsReport *report = ms_lab_run_experiment(experiment, &request, c->cancellable, error);
  if (!report)
    return ms_exit_status_for_error(*error);
  g_ptr_array_add(reports, report);
  if (!write_reports(c, reports, error))
    return MS_EXIT_SOME_FAILED;
  return status_of_reduction(report, error);
}

/* Prints the list as JSON if that goes to standard output, else as text. */
static MsExitStatus
list_experiments(Command *c, GError **error)
{
  const char *path = c->line->json;
  g_autofree char *text = ms_lab_list_text(error);
  g_autoptr(GPtrArray) nodes = text && path ? ms_lab_list_nodes(error) : NULL;

  if (!text || (path && (!nodes || !ms_report_file_save_nodes(path, "experiments", nodes, c->cancellable, error))))
    return ms_exit_status_for_error(*error);
  if (!ms_file_path_is_standard(path))
    ms_console_print(c->console, text);
  return MS_EXIT_DONE;
}

static MsLabLog *
inherit_log(void)
{
  const char *text = g_getenv(MS_LAB_LOG_VARIABLE);

  return text ? ms_lab_log_inherit(atoi(text)) : NULL;
}

/**
 * ms_lab_command_run: exit status 1 for a slowdown under --fail-on-slower too, 3 for a configuration or a
 * reduction with a wrong result. In a child, MS_LAB_LOG_VARIABLE names the log of the children before it.
 */
MsExitStatus
ms_lab_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable)
{
  g_autoptr(MsLabLog) log = inherit_log();
  Command command = {line, console, cancellable, log};
  g_autoptr(GError) error = NULL;
  MsExitStatus status;

  if (line->reduce)
    status = run_reduction(&command, &error);
  else if (line->tune)
    status = run_tuning(&command, &error);
  else if (ms_command_line_action(line) == MS_COMMAND_LIST_EXPERIMENTS)
    status = list_experiments(&command, &error);
  else
    status = run_experiments(&command, &error);
  if (error)
    return ms_command_fail(console, error);
  return status;
}
