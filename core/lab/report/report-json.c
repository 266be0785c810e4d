/* SPDX-License-Identifier: MIT */
/*
 * A report as JSON, with all fields and raw samples, so that a run can be resumed or compared; see
 * data/report.schema.json.
 */
#include "core/lab/report/report.h"

#include <math.h>

#include "core/error.h"
#include "core/factors.h"
#include "core/file.h"
#include "core/json.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-verdict.h"

#define FORMAT_NAME "meanshift-lab experiment report"
#define FORMAT_VERSION 1

/* The reports of all experiments at full size have a few MiB. */
#define LARGEST_FILE (64 << 20)

#define DEVICE(member, form) MS_FIELD(MsReportDevice, member, form, #member)
static const MsField device_fields[] = {
  DEVICE(name, TEXT),
  DEVICE(platform, TEXT),
  DEVICE(driver, TEXT),
  DEVICE(type, TEXT),
  DEVICE(compute_units, COUNT),
  DEVICE(by_wall_clock, BOOLEAN),
  DEVICE(peak_read_gb_per_s, NUMBER),
  DEVICE(peak_copy_gb_per_s, NUMBER),
};
static const MsRecord device_record = MS_RECORD(device_fields);

#define SUMMARY(member, name) MS_FIELD(MsSummary, member, NUMBER, name)
static const MsField summary_fields[] = {
  MS_FIELD(MsSummary, n, COUNT, "n"),
  SUMMARY(median, "median_ns"),
  SUMMARY(minimum, "minimum_ns"),
  SUMMARY(q1, "q1_ns"),
  SUMMARY(q3, "q3_ns"),
  SUMMARY(maximum, "maximum_ns"),
  SUMMARY(mean, "mean_ns"),
  SUMMARY(iqr, "iqr_ns"),
  SUMMARY(spread, "spread"),
};
static const MsRecord summary_record = MS_RECORD(summary_fields);

static double
find_metric(gconstpointer owner, const MsField *field)
{
  return ms_report_row_metric(owner, field->name);
}

#define DERIVED(name) MS_FIELD_OF(COMPUTED, name, .number = find_metric)
static const MsField derived_fields[] = {
  DERIVED("megapixels-per-s"), DERIVED("window-samples-per-s"), DERIVED("elements-per-s"),
  DERIVED("gb-per-s"),         DERIVED("peak-share"),           DERIVED("energy"),
  DERIVED("bank-conflicts"),   DERIVED("peer-speed-up"),        DERIVED("time-ratio"),
  DERIVED("power-ratio"),      DERIVED("extra-time-us"),        DERIVED("first-run"),
};
static const MsRecord derived_record = MS_RECORD(derived_fields);

static gboolean
is_compared(gconstpointer row)
{
  return isfinite(((const MsReportRow *)row)->speedup.ratio);
}

static char *
dup_verdict(gconstpointer row)
{
  return is_compared(row) ? g_strdup(ms_verdict_to_string(((const MsReportRow *)row)->speedup.verdict)) : NULL;
}

static const MsField speedup_fields[] = {
  MS_FIELD(MsReportRow, speedup.ratio, NUMBER, "ratio"),   MS_FIELD(MsReportRow, speedup.low, NUMBER, "low"),
  MS_FIELD(MsReportRow, speedup.high, NUMBER, "high"),     MS_FIELD_OF(COMPUTED_TEXT, "verdict", .text = dup_verdict),
  MS_FIELD(MsReportRow, baseline, BOOLEAN, "is_baseline"),
};
static const MsRecord speedup_record = MS_RECORD(speedup_fields, is_compared);

static double
first_extra(gconstpointer row, const MsField *field)
{
  return ms_measurement_first_extra_ns(((const MsReportRow *)row)->measurement);
}

static double
count_outliers(gconstpointer row, const MsField *field)
{
  const GArray *samples = ((const MsReportRow *)row)->measurement->samples;

  return (double)ms_statistics_outliers((const double *)samples->data, samples->len);
}

static double
clock_drop(gconstpointer row, const MsField *field)
{
  const GArray *samples = ((const MsReportRow *)row)->measurement->samples;
  MsDrift drift = ms_statistics_find_clock_drop((const double *)samples->data, samples->len);

  return drift.found ? drift.ratio : NAN;
}

#define ROW(member, form, ...) MS_FIELD(MsReportRow, member, form, __VA_ARGS__)
static const MsField row_fields[] = {
  ROW(factors, FACTORS, "settings"),
  ROW(label, TEXT, "label"),
  ROW(group, TEXT, "group"),
  MS_FIELD_AT(MsReportRow, measurement, INLINE, "measurement", .record = &ms_measurement_record),
  ROW(summary, SHOWN, "summary", .record = &summary_record),
  MS_FIELD_OF(COMPUTED, "first_extra_ns", .number = first_extra),
  MS_FIELD_OF(COMPUTED_WHOLE, "outliers", .number = count_outliers),
  MS_FIELD_OF(COMPUTED, "clock_drop_ratio", .number = clock_drop),
  MS_FIELD_OF(SHOWN, "derived", .record = &derived_record),
  MS_FIELD_OF(SHOWN, "speedup", .record = &speedup_record),
};
static const MsRecord row_record = MS_RECORD(row_fields);

/* A row that can be read has settings. */
static gpointer
make_row(gpointer report, JsonObject *object)
{
  g_autoptr(MsFactors) factors = ms_json_get_factors(object, "settings");
  MsReportRow *row = factors ? ms_report_add_row(report, factors, "", "") : NULL;

  if (row)
    row->measurement->verification.done = ms_json_get_object(object, "verification") != NULL;
  return row;
}

static char *
dup_finding_verdict(gconstpointer report)
{
  const MsReport *self = report;

  return self->experiment->expects->len > 0 ? g_strdup(ms_finding_verdict_name(ms_report_judge(self))) : NULL;
}

static char *
dup_finding_text(gconstpointer report)
{
  return ms_report_verdict_text(report, MS_LANGUAGE_ENGLISH);
}

static void
add_findings(const MsField *field, gconstpointer owner, JsonBuilder *builder)
{
  g_autoptr(GArray) findings = ms_report_find_findings(owner);

  ms_json_begin_array(builder, field->name);
  for (guint i = 0; i < findings->len; i++) {
    json_builder_begin_object(builder);
    ms_record_add_members(&ms_finding_record, &g_array_index(findings, MsFinding, i), builder);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static const MsField verdict_fields[] = {
  MS_FIELD_OF(COMPUTED_TEXT, "verdict", .text = dup_finding_verdict),
  MS_FIELD_OF(COMPUTED_TEXT, "text", .text = dup_finding_text),
  MS_FIELD_OF(OWN, "findings", .add = add_findings),
};
static const MsRecord verdict_record = MS_RECORD(verdict_fields);

static gboolean
is_search(gconstpointer report)
{
  return ((const MsReport *)report)->space_size > 0;
}

#define REPORT(member, form, ...) MS_FIELD(MsReport, member, form, __VA_ARGS__)
static const MsField head_fields[] = {
  REPORT(program_version, TEXT, "version"),
  REPORT(date, TEXT, "date"),
  REPORT(compiler, TEXT, "compiler"),
  REPORT(sources, TEXT, "sources"),
  REPORT(device, RECORD, "device", .record = &device_record),
  REPORT(input, TEXT, "input"),
  REPORT(quick, BOOLEAN, "quick"),
  REPORT(complete, BOOLEAN, "complete"),
  REPORT(accept_disturbed, BOOLEAN, "accept_disturbed"),
  REPORT(noise, NUMBER, "noise"),
  REPORT(seed, COUNT, "seed"),
  REPORT(restarts, COUNT, "restarts"),
  REPORT(space_size, AMOUNT, "space_size", .has = is_search),
  REPORT(elapsed_s, NUMBER, "elapsed_s", .has = is_search),
  REPORT(winner, FACTORS, "winner", .has = is_search),
};

/** ms_report_head_record: the members of a report that describe how its rows were measured. */
const MsRecord ms_report_head_record = MS_RECORD(head_fields);

static const MsField report_fields[] = {
  MS_FIELD_OF(INLINE, "head", .record = &ms_report_head_record),
  MS_FIELD_AT(MsReport, experiment, SHOWN, "experiment", .record = &ms_experiment_record),
  MS_FIELD_OF(SHOWN, "verdict", .record = &verdict_record),
  REPORT(rows, RECORDS, "rows", .record = &row_record, .make = make_row),
};

/** ms_report_record: the members of a report but those that say what it is. */
const MsRecord ms_report_record = MS_RECORD(report_fields);

/** ms_report_to_json_node: (transfer full): the report as a tree. */
JsonNode *
ms_report_to_json_node(const MsReport *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "format", FORMAT_NAME);
  ms_json_add_integer(builder, "format_version", FORMAT_VERSION);
  ms_json_add_text(builder, "program", "meanshift-lab");
  ms_record_add_members(&ms_report_record, self, builder);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}

/** ms_report_to_json: (transfer full): the report as text, indented. */
char *
ms_report_to_json(const MsReport *self)
{
  g_autoptr(JsonNode) node = ms_report_to_json_node(self);
  g_autoptr(JsonGenerator) generator = json_generator_new();

  json_generator_set_root(generator, node);
  json_generator_set_pretty(generator, TRUE);
  json_generator_set_indent(generator, 1);
  return json_generator_to_data(generator, NULL);
}

/** ms_report_from_node: (transfer full): the reverse of ms_report_to_json_node(); @node: (nullable) */
MsReport *
ms_report_from_node(JsonNode *node, GError **error)
{
  JsonObject *object = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
  JsonObject *described = object ? ms_json_get_object(object, "experiment") : NULL;

  if (!described || !ms_json_get_array(object, "rows") ||
      g_strcmp0(ms_json_get_text(object, "format"), FORMAT_NAME) != 0) {
    ms_set_error_literal(error, MS_ERROR_FORMAT, "This is not a report of an experiment.");
    return NULL;
  }
  g_autoptr(MsExperiment) experiment = ms_json_get_experiment(described, error);
  if (!experiment)
    return NULL;
  MsReport *self = ms_report_new(experiment);
  const double noise = self->noise;
  ms_record_get(&ms_report_record, self, object);
  self->noise = isfinite(self->noise) ? self->noise : noise;
  for (guint i = 0; i < self->rows->len; i++)
    ms_report_finish_row(self, self->rows->pdata[i]);
  ms_report_rank(self);
  return self;
}

/* --json writes the reports as an array; the file of a report folder is one report. */
static GPtrArray *
reports_from_node(JsonNode *root, GError **error)
{
  JsonArray *array = JSON_NODE_HOLDS_OBJECT(root) ? ms_json_get_array(json_node_get_object(root), "experiments") : NULL;
  g_autoptr(GPtrArray) reports = g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref);

  for (guint i = 0; i < (array ? json_array_get_length(array) : 1); i++) {
    MsReport *report = ms_report_from_node(array ? json_array_get_element(array, i) : root, error);
    if (!report)
      return NULL;
    g_ptr_array_add(reports, report);
  }
  if (reports->len > 0)
    return g_steal_pointer(&reports);
  ms_set_error_literal(error, MS_ERROR_FORMAT, "There is no report of an experiment in it.");
  return NULL;
}

/* Takes the text of the file @path, %NULL with @error set. */
static GPtrArray *
parse_reports(const char *path, char *text, gsize length, GError **error)
{
  g_autofree char *owned = text;
  g_autoptr(GError) local = NULL;
  g_autoptr(JsonNode) root = owned ? ms_json_parse(owned, (gssize)length, &local) : NULL;
  GPtrArray *reports = root ? reports_from_node(root, &local) : NULL;

  if (local)
    g_propagate_prefixed_error(error, g_steal_pointer(&local), "%s: ", path);
  return reports;
}

/**
 * ms_reports_load:
 * @path: a file with one report, from a report folder, or with several, from --json
 *
 * Returns: (transfer full) (element-type MsReport): at least one report, or %NULL with an error that names the file
 */
GPtrArray *
ms_reports_load(const char *path, GError **error)
{
  gsize length = 0;
  char *text = ms_file_text_load(path, LARGEST_FILE, &length, error);

  return parse_reports(path, text, length, error);
}

/** ms_reports_load_named: ms_reports_load() for a file that a person named, which may be a pipe. */
GPtrArray *
ms_reports_load_named(const char *path, GError **error)
{
  gsize length = 0;
  char *text = ms_file_text_load_named(path, LARGEST_FILE, &length, error);

  return parse_reports(path, text, length, error);
}

/** ms_report_load: (transfer full): the first report in the file @path, or %NULL with an error that names it. */
MsReport *
ms_report_load(const char *path, GError **error)
{
  g_autoptr(GPtrArray) reports = ms_reports_load(path, error);

  return reports ? ms_report_ref(reports->pdata[0]) : NULL;
}
