/* SPDX-License-Identifier: MIT */
/* Reads reports that report-json.c wrote, to resume them or to compare with them. */
#include "core/lab/report/report-json-read.h"

#include <math.h>

#include "core/error.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-private.h"

static void
get_samples(JsonObject *object, const char *name, GArray *into)
{
  JsonArray *array = ms_json_get_array(object, name);

  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    GType type = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_NONE;
    double value = type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double(node) : NAN;
    if (isfinite(value) && value >= 0)
      g_array_append_val(into, value);
  }
}

/* Rounds must ascend; @into stays empty when they do not, so that nothing is compared by them. */
static void
get_rounds(JsonObject *object, GArray *into)
{
  JsonArray *array = ms_json_get_array(object, "rounds");
  gint64 last = -1;

  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    gint64 value = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_int(node) : -1;
    guint round = (guint)value;
    if (value <= last || value > G_MAXINT32) {
      g_array_set_size(into, 0);
      return;
    }
    g_array_append_val(into, round);
    last = value;
  }
}

static void
get_stages(JsonObject *object, MsMeasurement *m)
{
  JsonArray *stages = ms_json_get_array(object, "stages");

  for (guint i = 0; stages && i < json_array_get_length(stages); i++) {
    JsonObject *one = ms_json_get_element(stages, i);
    const char *stage = one ? ms_json_get_text(one, "stage") : NULL;
    const char *name = one ? ms_json_get_text(one, "name") : NULL;
    if (!stage || !name)
      continue;
    MsStageSeries *series = ms_measurement_stage(m, stage, name);
    series->headline = ms_json_get_boolean(one, "headline", FALSE);
    series->bytes = (guint64)MAX(ms_json_get_integer(one, "bytes"), 0);
    get_samples(one, "samples_ns", series->ns);
  }
}

static guint64
get_count(JsonObject *object, const char *name)
{
  double value = ms_json_get_number(object, name);

  return value > 0 ? (guint64)value : 0;
}

static void
get_verification(JsonObject *object, MsVerification *v)
{
  JsonObject *member = ms_json_get_object(object, "verification");

  if (!member)
    return;
  *v = (MsVerification){TRUE, get_count(member, "total"), get_count(member, "mismatches"),
                        ms_json_get_number(member, "max_difference"), g_strdup(ms_json_get_text(member, "against"))};
}

static void
get_work(JsonObject *object, MsWork *work)
{
  JsonObject *member = ms_json_get_object(object, "work");

  if (member)
    *work = (MsWork){ms_json_get_number(member, "pixels"),       ms_json_get_number(member, "window_samples"),
                     ms_json_get_number(member, "elements"),     ms_json_get_number(member, "bytes"),
                     ms_json_get_number(member, "accesses"),     ms_json_get_number(member, "uncoalesced"),
                     ms_json_get_number(member, "local_cycles"), ms_json_get_number(member, "bank_conflicts")};
}

static void
get_row(MsReport *self, JsonObject *object)
{
  g_autoptr(MsFactors) factors = ms_json_get_factors(object, "settings");
  const char *label = ms_json_get_text(object, "label");
  const char *group = ms_json_get_text(object, "group");

  if (!factors)
    return;
  MsReportRow *row = ms_report_add_row(self, factors, label ? label : "", group ? group : "");
  MsMeasurement *m = row->measurement;
  m->outcome = ms_outcome_from_string(ms_json_get_text(object, "outcome"));
  m->message = g_strdup(ms_json_get_text(object, "message"));
  get_samples(object, "samples_ns", m->samples);
  get_rounds(object, m->rounds);
  get_samples(object, "walls_ns", m->walls);
  m->first_ns = ms_json_get_number(object, "first_ns");
  m->first_wall_ns = ms_json_get_number(object, "first_wall_ns");
  m->prepare_ns = ms_json_get_number(object, "prepare_ns");
  m->rejected = (guint)get_count(object, "rejected");
  get_stages(object, m);
  get_verification(object, &m->verification);
  get_work(object, &m->work);
  m->joules = ms_json_get_number(object, "joules");
  m->watts = ms_json_get_number(object, "watts");
  m->energy_source = g_strdup(ms_json_get_text(object, "energy_source"));
  ms_report_finish_row(self, row);
}

static void
get_anchors(MsReport *self, JsonObject *object)
{
  JsonArray *anchors = ms_json_get_array(object, "anchors");

  for (guint i = 0; anchors && i < json_array_get_length(anchors); i++) {
    JsonObject *one = ms_json_get_element(anchors, i);
    const char *group = one ? ms_json_get_text(one, "group") : NULL;
    if (!group)
      continue;
    MsMeasurement *anchor = ms_measurement_new();
    anchor->outcome = ms_outcome_from_string(ms_json_get_text(one, "outcome"));
    anchor->message = g_strdup(ms_json_get_text(one, "message"));
    get_samples(one, "samples_ns", anchor->samples);
    get_rounds(one, anchor->rounds);
    g_hash_table_insert(self->anchors, g_strdup(group), anchor);
  }
}

static void
get_device(JsonObject *object, MsReportDevice *device)
{
  JsonObject *member = ms_json_get_object(object, "device");

  if (!member)
    return;
  device->name = g_strdup(ms_json_get_text(member, "name"));
  device->platform = g_strdup(ms_json_get_text(member, "platform"));
  device->driver = g_strdup(ms_json_get_text(member, "driver"));
  device->type = g_strdup(ms_json_get_text(member, "type"));
  device->compute_units = (guint)get_count(member, "compute_units");
  device->peak_read_gb_per_s = ms_json_get_number(member, "peak_read_gb_per_s");
  device->peak_copy_gb_per_s = ms_json_get_number(member, "peak_copy_gb_per_s");
}

static void
get_head(MsReport *self, JsonObject *object)
{
  double noise = ms_json_get_number(object, "noise");

  get_device(object, &self->device);
  self->program_version = g_strdup(ms_json_get_text(object, "version"));
  if (ms_json_get_text(object, "date")) {
    g_free(self->date);
    self->date = g_strdup(ms_json_get_text(object, "date"));
  }
  self->input = g_strdup(ms_json_get_text(object, "input"));
  self->quick = ms_json_get_boolean(object, "quick", FALSE);
  self->complete = ms_json_get_boolean(object, "complete", FALSE);
  self->noise = isfinite(noise) ? noise : 0.01;
  self->seed = (guint32)get_count(object, "seed");
  self->restarts = (guint)get_count(object, "restarts");
}

/** ms_report_from_node: (transfer full): the reverse of ms_report_to_json_node(); @node: (nullable) */
MsReport *
ms_report_from_node(JsonNode *node, GError **error)
{
  JsonObject *object = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
  JsonObject *described = object ? ms_json_get_object(object, "experiment") : NULL;
  JsonArray *rows = object ? ms_json_get_array(object, "rows") : NULL;

  if (!described || !rows || g_strcmp0(ms_json_get_text(object, "format"), MS_REPORT_FORMAT) != 0) {
    ms_set_error_literal(error, MS_ERROR_FORMAT, "This is not a report of an experiment.");
    return NULL;
  }
  g_autoptr(MsExperiment) experiment = ms_json_get_experiment(described, error);
  if (!experiment)
    return NULL;
  MsReport *self = ms_report_new(experiment);
  get_head(self, object);
  get_anchors(self, object);
  for (guint i = 0; i < json_array_get_length(rows); i++) {
    JsonObject *row = ms_json_get_element(rows, i);
    if (row)
      get_row(self, row);
  }
  ms_report_rank(self);
  return self;
}

/**
 * ms_report_from_json:
 * @text: text that ms_report_to_json() wrote
 * @length: bytes, or -1 when it ends in a zero
 *
 * Returns: (transfer full): the report; its verdicts are computed from the samples
 */
MsReport *
ms_report_from_json(const char *text, gssize length, GError **error)
{
  g_autoptr(JsonNode) root = ms_json_parse(text, length, error);

  return root ? ms_report_from_node(root, error) : NULL;
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

/**
 * ms_reports_load:
 * @path: a file with one report, from a report folder, or with several, from --json
 *
 * Returns: (transfer full) (element-type MsReport): at least one report, or %NULL with an error that names the file
 */
GPtrArray *
ms_reports_load(const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr(JsonNode) root = NULL;
  g_autoptr(GError) local = NULL;
  GPtrArray *reports = NULL;
  gsize length;

  if (g_file_get_contents(path, &text, &length, &local))
    root = ms_json_parse(text, (gssize)length, &local);
  if (root)
    reports = reports_from_node(root, &local);
  if (local)
    g_propagate_prefixed_error(error, g_steal_pointer(&local), "%s: ", path);
  return reports;
}

/** ms_report_load: (transfer full): the first report in the file @path, or %NULL with an error that names it. */
MsReport *
ms_report_load(const char *path, GError **error)
{
  g_autoptr(GPtrArray) reports = ms_reports_load(path, error);

  return reports ? ms_report_ref(reports->pdata[0]) : NULL;
}
