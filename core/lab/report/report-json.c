/* SPDX-License-Identifier: MIT */
/*
 * A report as JSON: all fields and raw samples, so that a run can be resumed or compared. See data/report.schema.json.
 */
#include "core/lab/report/report-json.h"

#include <math.h>

#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-metric.h"
#include "core/lab/report/report-private.h"

static void
add_samples(JsonBuilder *builder, const char *name, const GArray *samples)
{
  ms_json_begin_array(builder, name);
  for (guint i = 0; i < samples->len; i++)
    json_builder_add_double_value(builder, g_array_index(samples, double, i));
  json_builder_end_array(builder);
}

static void
add_rounds(JsonBuilder *builder, const GArray *rounds)
{
  ms_json_begin_array(builder, "rounds");
  for (guint i = 0; i < rounds->len; i++)
    json_builder_add_int_value(builder, g_array_index(rounds, guint, i));
  json_builder_end_array(builder);
}

static void
add_device(JsonBuilder *builder, const MsReportDevice *device)
{
  ms_json_begin_object(builder, "device");
  ms_json_add_text(builder, "name", device->name);
  ms_json_add_text(builder, "platform", device->platform);
  ms_json_add_text(builder, "driver", device->driver);
  ms_json_add_text(builder, "type", device->type);
  ms_json_add_integer(builder, "compute_units", device->compute_units);
  ms_json_add_number(builder, "peak_read_gb_per_s", device->peak_read_gb_per_s);
  ms_json_add_number(builder, "peak_copy_gb_per_s", device->peak_copy_gb_per_s);
  json_builder_end_object(builder);
}

static void
add_summary(JsonBuilder *builder, const MsSummary *s)
{
  ms_json_begin_object(builder, "summary");
  ms_json_add_integer(builder, "n", s->n);
  ms_json_add_number(builder, "median_ns", s->median);
  ms_json_add_number(builder, "minimum_ns", s->minimum);
  ms_json_add_number(builder, "q1_ns", s->q1);
  ms_json_add_number(builder, "q3_ns", s->q3);
  ms_json_add_number(builder, "maximum_ns", s->maximum);
  ms_json_add_number(builder, "mean_ns", s->mean);
  ms_json_add_number(builder, "iqr_ns", s->iqr);
  ms_json_add_number(builder, "spread", s->spread);
  json_builder_end_object(builder);
}

static void
add_stages(JsonBuilder *builder, GPtrArray *stages)
{
  ms_json_begin_array(builder, "stages");
  for (guint i = 0; i < stages->len; i++) {
    const MsStageSeries *stage = stages->pdata[i];
    json_builder_begin_object(builder);
    ms_json_add_text(builder, "stage", stage->stage);
    ms_json_add_text(builder, "name", stage->name);
    ms_json_add_integer(builder, "bytes", (gint64)stage->bytes);
    ms_json_add_boolean(builder, "headline", stage->headline);
    add_samples(builder, "samples_ns", stage->ns);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

static void
add_verification(JsonBuilder *builder, const MsVerification *v)
{
  json_builder_set_member_name(builder, "verification");
  if (!v->done) {
    json_builder_add_null_value(builder);
    return;
  }
  json_builder_begin_object(builder);
  ms_json_add_integer(builder, "total", (gint64)v->total);
  ms_json_add_integer(builder, "mismatches", (gint64)v->mismatches);
  ms_json_add_number(builder, "max_difference", v->max_difference);
  ms_json_add_text(builder, "against", v->against);
  json_builder_end_object(builder);
}

static void
add_work(JsonBuilder *builder, const MsWork *work)
{
  ms_json_begin_object(builder, "work");
  ms_json_add_number(builder, "pixels", work->pixels);
  ms_json_add_number(builder, "window_samples", work->window_samples);
  ms_json_add_number(builder, "elements", work->elements);
  ms_json_add_number(builder, "bytes", work->bytes);
  ms_json_add_number(builder, "accesses", work->accesses);
  ms_json_add_number(builder, "uncoalesced", work->uncoalesced);
  ms_json_add_number(builder, "local_cycles", work->local_cycles);
  ms_json_add_number(builder, "bank_conflicts", work->bank_conflicts);
  json_builder_end_object(builder);
}

static void
add_speedup(JsonBuilder *builder, const MsReportRow *row)
{
  json_builder_set_member_name(builder, "speedup");
  if (!isfinite(row->speedup.ratio)) {
    json_builder_add_null_value(builder);
    return;
  }
  json_builder_begin_object(builder);
  ms_json_add_number(builder, "ratio", row->speedup.ratio);
  ms_json_add_number(builder, "low", row->speedup.low);
  ms_json_add_number(builder, "high", row->speedup.high);
  ms_json_add_text(builder, "verdict", ms_verdict_to_string(row->speedup.verdict));
  ms_json_add_boolean(builder, "is_baseline", row->baseline);
  json_builder_end_object(builder);
}

static void
add_disturbances(JsonBuilder *builder, const MsMeasurement *m)
{
  const double *samples = (const double *)m->samples->data;
  MsDrift drift = ms_statistics_find_clock_drop(samples, m->samples->len);

  ms_json_add_integer(builder, "rejected", m->rejected);
  ms_json_add_integer(builder, "outliers", (gint64)ms_statistics_outliers(samples, m->samples->len, NULL));
  ms_json_add_number(builder, "clock_drop_ratio", drift.found ? drift.ratio : NAN);
}

static void
add_derived(JsonBuilder *builder, const MsReport *self, const MsReportRow *row)
{
  static const char *const names[] = {"megapixels-per-s", "window-samples-per-s", "elements-per-s",
                                      "gb-per-s",         "peak-share",           "energy"};

  ms_json_begin_object(builder, "derived");
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    ms_json_add_number(builder, names[i], ms_report_row_metric(self, row, names[i]));
  json_builder_end_object(builder);
}

static void
add_row(JsonBuilder *builder, const MsReport *self, const MsReportRow *row)
{
  const MsMeasurement *m = row->measurement;

  json_builder_begin_object(builder);
  ms_json_add_factors(builder, "settings", row->factors);
  ms_json_add_text(builder, "label", row->label);
  ms_json_add_text(builder, "group", row->group);
  ms_json_add_text(builder, "outcome", ms_outcome_to_string(m->outcome));
  ms_json_add_text(builder, "message", m->message);
  add_samples(builder, "samples_ns", m->samples);
  add_rounds(builder, m->rounds);
  add_samples(builder, "walls_ns", m->walls);
  add_summary(builder, &row->summary);
  ms_json_add_number(builder, "first_ns", m->first_ns);
  ms_json_add_number(builder, "first_wall_ns", m->first_wall_ns);
  ms_json_add_number(builder, "first_extra_ns", ms_measurement_first_extra_ns(m));
  ms_json_add_number(builder, "prepare_ns", m->prepare_ns);
  add_disturbances(builder, m);
  add_stages(builder, m->stages);
  add_verification(builder, &m->verification);
  add_work(builder, &m->work);
  add_derived(builder, self, row);
  ms_json_add_number(builder, "joules", m->joules);
  ms_json_add_number(builder, "watts", m->watts);
  ms_json_add_text(builder, "energy_source", m->energy_source);
  add_speedup(builder, row);
  json_builder_end_object(builder);
}

/* One anchor for each group of rows, in the order of the rows. */
static void
add_anchors(JsonBuilder *builder, const MsReport *self)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

  ms_json_begin_array(builder, "anchors");
  for (guint i = 0; i < self->rows->len; i++) {
    const char *group = ((const MsReportRow *)self->rows->pdata[i])->group;
    const MsMeasurement *anchor = g_hash_table_lookup(self->anchors, group);
    if (!anchor || !g_hash_table_add(seen, (gpointer)group))
      continue;
    json_builder_begin_object(builder);
    ms_json_add_text(builder, "group", group);
    ms_json_add_text(builder, "outcome", ms_outcome_to_string(anchor->outcome));
    ms_json_add_text(builder, "message", anchor->message);
    add_samples(builder, "samples_ns", anchor->samples);
    add_rounds(builder, anchor->rounds);
    json_builder_end_object(builder);
  }
  json_builder_end_array(builder);
}

/** ms_report_to_json_node: (transfer full): the report as a tree. */
JsonNode *
ms_report_to_json_node(const MsReport *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "format", MS_REPORT_FORMAT);
  ms_json_add_integer(builder, "format_version", MS_REPORT_VERSION);
  ms_json_add_text(builder, "program", "meanshift-lab");
  ms_json_add_text(builder, "version", self->program_version);
  ms_json_add_text(builder, "date", self->date);
  add_device(builder, &self->device);
  json_builder_set_member_name(builder, "experiment");
  ms_json_add_experiment(builder, self->experiment);
  ms_json_add_text(builder, "input", self->input);
  ms_json_add_boolean(builder, "quick", self->quick);
  ms_json_add_boolean(builder, "complete", self->complete);
  ms_json_add_number(builder, "noise", self->noise);
  ms_json_add_integer(builder, "seed", self->seed);
  ms_json_add_integer(builder, "restarts", self->restarts);
  add_anchors(builder, self);
  ms_json_begin_array(builder, "rows");
  for (guint i = 0; i < self->rows->len; i++)
    add_row(builder, self, self->rows->pdata[i]);
  json_builder_end_array(builder);
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
