/* SPDX-License-Identifier: MIT */
/*
 * One image's results as a JSON object, see data/headless-report.schema.json, as a line of CSV and as tables for a
 * person. What was not measured is null in JSON and empty in CSV.
 */
#include "app/report/image-report.h"

#include <math.h>
#include <string.h>

#include "app/report/image-summary.h"
#include "core/csv.h"
#include "core/json.h"
#include "core/lab/measure/statistics.h"
#include "core/record/record.h"
#include "core/text.h"

/* Reports have the states done, failed and skipped; an image that an interruption left pending counts as skipped. */
static char *
dup_status(gconstpointer owner)
{
  const MsBatchItem *item = owner;

  return g_strdup(ms_item_status_name(item->status == MS_ITEM_PENDING ? MS_ITEM_SKIPPED : item->status));
}

/* JSON */

/* Rounds to nanoseconds, the resolution of the clock. */
static double
to_nanoseconds(double milliseconds)
{
  return round(milliseconds * 1e6) / 1e6;
}

static void
add_shape(JsonBuilder *b, const char *text)
{
  int width = 0, height = 0;

  if (strcmp(text, "auto") == 0) {
    json_builder_add_null_value(b);
    return;
  }
  width = (int)g_ascii_strtoll(text, NULL, 10);
  height = (int)g_ascii_strtoll(strchr(text, 'x') + 1, NULL, 10);
  json_builder_begin_array(b);
  json_builder_add_int_value(b, width);
  json_builder_add_int_value(b, height);
  json_builder_end_array(b);
}

static void
add_option(JsonBuilder *b, const MsOptionInfo *row, const MsSettings *settings)
{
  g_autofree char *text = ms_option_get_text(row, settings);

  json_builder_set_member_name(b, row->json);
  if (row->kind == MS_OPTION_SHAPE)
    add_shape(b, text);
  else if (row->kind == MS_OPTION_REAL)
    ms_json_add_number_element(b, ms_option_get_number(row, settings));
  else if (row->kind == MS_OPTION_INT || row->numeric_values)
    json_builder_add_int_value(b, (gint64)ms_option_get_number(row, settings));
  else
    json_builder_add_string_value(b, text);
}

static void
add_group(const MsField *field, MsOptionGroup group, const MsSettings *settings, JsonBuilder *b)
{
  const MsOptionInfo *rows = ms_options.rows;

  ms_json_begin_object(b, field->name);
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (rows[i].group == group)
      add_option(b, &rows[i], settings);
  json_builder_end_object(b);
}

static void
add_parameters(const MsField *field, gconstpointer settings, JsonBuilder *b)
{
  add_group(field, MS_OPTION_GROUP_FILTER, settings, b);
}

static void
add_toggles(const MsField *field, gconstpointer settings, JsonBuilder *b)
{
  add_group(field, MS_OPTION_GROUP_TOGGLE, settings, b);
}

static char *
dup_stage(gconstpointer timing)
{
  return g_strdup(ms_stage_name(((const MsTiming *)timing)->stage));
}

static double
run_ms(gconstpointer timing, const MsField *field)
{
  return to_nanoseconds(ms_timing_ms(timing));
}

static double
run_gb_per_s(gconstpointer timing, const MsField *field)
{
  return to_nanoseconds(ms_timing_gb_per_s(timing));
}

#define TIMING(member, form) MS_FIELD(MsTiming, member, form, #member)
static const MsField timing_fields[] = {
  MS_FIELD_OF(COMPUTED_TEXT, "stage", .text = dup_stage),
  TIMING(kernel, WORD),
  MS_FIELD_OF(COMPUTED, "ms", .number = run_ms),
  TIMING(queued_ns, COUNT),
  TIMING(submitted_ns, COUNT),
  TIMING(started_ns, COUNT),
  TIMING(ended_ns, COUNT),
  TIMING(bytes, COUNT),
  TIMING(by_wall_clock, BOOLEAN),
  MS_FIELD_OF(COMPUTED, "gb_per_s", .number = run_gb_per_s),
};
static const MsRecord timing_record = MS_RECORD(timing_fields);

static void
add_timings(const MsField *field, gconstpointer member, JsonBuilder *b)
{
  MsTimingLog *log = *(MsTimingLog *const *)member;

  ms_json_begin_array(b, field->name);
  for (guint i = 0; log && i < ms_timing_log_get_length(log); i++)
    ms_record_add(&timing_record, ms_timing_log_get(log, i), b);
  json_builder_end_array(b);
}

/* What each stage took in all, 0 where it did nothing; null where nothing was measured. */
static void
add_stages(const MsField *field, gconstpointer member, JsonBuilder *b)
{
  MsTimingLog *log = *(MsTimingLog *const *)member;

  json_builder_set_member_name(b, field->name);
  if (!log) {
    json_builder_add_null_value(b);
    return;
  }
  json_builder_begin_object(b);
  for (MsStage stage = MS_STAGE_DECODE; stage <= MS_STAGE_ENCODE; stage++) {
    g_autofree char *name = g_strconcat(ms_stage_name(stage), "_ms", NULL);
    ms_json_add_number(b, name, to_nanoseconds(ms_timing_log_total_ms(log, stage)));
  }
  json_builder_end_object(b);
}

static void
add_repeat_time(const MsField *field, gconstpointer member, JsonBuilder *b)
{
  const GArray *samples = *(GArray *const *)member;
  MsSummary time = ms_statistics_summarise_array(samples);

  json_builder_set_member_name(b, field->name);
  if (time.n == 0) {
    json_builder_add_null_value(b);
    return;
  }
  json_builder_begin_object(b);
  ms_json_add_number(b, "median", to_nanoseconds(time.median));
  ms_json_add_number(b, "min", to_nanoseconds(time.minimum));
  ms_json_add_number(b, "max", to_nanoseconds(time.maximum));
  ms_json_add_integer(b, "n", time.n);
  ms_json_begin_array(b, "samples");
  for (guint i = 0; i < time.n; i++)
    ms_json_add_number_element(b, to_nanoseconds(g_array_index(samples, double, i)));
  json_builder_end_array(b);
  json_builder_end_object(b);
}

static gboolean
is_verified(gconstpointer item)
{
  return ((const MsBatchItem *)item)->verified;
}

static const MsField verify_fields[] = {
  MS_FIELD(MsBatchItem, difference.mismatched_pixels, COUNT, "mismatched_pixels"),
  MS_FIELD(MsBatchItem, difference.max_difference, WHOLE, "max_difference"),
};
static const MsRecord verify_record = MS_RECORD(verify_fields, is_verified);

static char *
dup_reason(gconstpointer owner)
{
  const MsBatchItem *item = owner;

  return g_strdup(item->status == MS_ITEM_PENDING ? "interrupted" : item->reason);
}

static char *
dup_note(gconstpointer owner)
{
  return ms_note_describe(((const MsBatchItem *)owner)->notes, MS_LANGUAGE_ENGLISH);
}

#define ITEM(member, form, ...) MS_FIELD(MsBatchItem, member, form, __VA_ARGS__)
static const MsField image_fields[] = {
  ITEM(input, PATH, "input"),
  ITEM(output, PATH, "output"),
  ITEM(seq, COUNT, "seq"),
  ITEM(width, WHOLE, "width"),
  ITEM(height, WHOLE, "height"),
  MS_FIELD_OF(COMPUTED_TEXT, "status", .text = dup_status),
  ITEM(error, TEXT, "error"),
  MS_FIELD_OF(COMPUTED_TEXT, "reason", .text = dup_reason),
  MS_FIELD_OF(COMPUTED_TEXT, "note", .text = dup_note),
  ITEM(device, TEXT, "device"),
  ITEM(used, OWN, "parameters", .add = add_parameters),
  ITEM(used, OWN, "options", .add = add_toggles),
  ITEM(profile, TEXT, "profile"),
  ITEM(rejected, TEXT, "rejected"),
  ITEM(log, OWN, "timings", .add = add_timings),
  ITEM(log, OWN, "stages", .add = add_stages),
  ITEM(kernel_ms, OWN, "kernel_ms", .add = add_repeat_time),
  ITEM(filter_ms, OWN, "filter_ms", .add = add_repeat_time),
  MS_FIELD_OF(SHOWN, "verify", .record = &verify_record),
};

/** ms_image_report_record: the members of an image but those of its summary. */
const MsRecord ms_image_report_record = MS_RECORD(image_fields);

/** ms_image_report_node: (transfer full): one object of the array "images", of which CSV has some members. */
JsonNode *
ms_image_report_node(const MsBatchItem *item)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  json_builder_begin_object(b);
  ms_record_add_members(&ms_image_report_record, item, b);
  ms_image_summary_add_json(item->summary, b);
  json_builder_end_object(b);
  return json_builder_get_root(b);
}

static char *
builder_to_text(JsonBuilder *b)
{
  g_autoptr(JsonNode) root = json_builder_get_root(b);

  return json_to_string(root, TRUE);
}

#define DEVICE(member) MS_FIELD(MsEngineInfo, member, WORD, #member)
static const MsField device_fields[] = {DEVICE(name), DEVICE(platform), DEVICE(driver), DEVICE(type)};
static const MsRecord device_record = MS_RECORD(device_fields);

/* Removes the closing brace, because the report is written image by image to save memory. */
static char *
without_last_brace(char *json)
{
  char *brace = strrchr(json, '}');

  while (brace > json && g_ascii_isspace(brace[-1]))
    brace--;
  *brace = '\0';
  return json;
}

/** ms_image_report_json_head: (transfer full): the beginning of a report, up to the opening bracket of "images". */
char *
ms_image_report_json_head(const MsEngineInfo *device)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  json_builder_begin_object(b);
  ms_json_add_text(b, "program", "meanshift-lab");
  ms_json_add_text(b, "version", MS_VERSION);
  json_builder_set_member_name(b, "device");
  if (device)
    ms_record_add(&device_record, device, b);
  else
    json_builder_add_null_value(b);
  json_builder_end_object(b);
  g_autofree char *json = without_last_brace(builder_to_text(b));
  return g_strconcat(json, ",\n  \"images\" : [", NULL);
}

/** ms_image_report_json_tail: (transfer full): the end of a report, from the closing bracket of "images" on. */
char *
ms_image_report_json_tail(const MsBatchCounts *counts, double seconds, gboolean interrupted)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  json_builder_begin_object(b);
  ms_json_add_integer(b, "done", counts->done);
  ms_json_add_integer(b, "failed", counts->failed);
  ms_json_add_integer(b, "skipped", counts->skipped + counts->pending);
  ms_json_add_number(b, "seconds", round(seconds * 1e6) / 1e6);
  ms_json_add_boolean(b, "interrupted", interrupted);
  json_builder_end_object(b);
  g_autofree char *json = builder_to_text(b);
  return g_strconcat("\n  ],\n  \"summary\" : ", json, "\n}\n", NULL);
}

/* CSV: the object of an image in JSON, flattened */

/*
 * @parent: (nullable): the object in that of the image that has the member
 * @format: (nullable): of a number that may be broken
 * @unknown: (nullable): the cell of a value that is null; empty without it
 */
typedef struct {
  const char *name;
  const char *parent;
  const char *member;
  const char *format;
  const char *unknown;
  gboolean is_path;
} Column;

#define OWN(name, ...)                                                                                                 \
  {                                                                                                                    \
    name, NULL, name, __VA_ARGS__                                                                                      \
  }
#define TIME(name, parent, member)                                                                                     \
  {                                                                                                                    \
    name, parent, member, "%.6f"                                                                                       \
  }
#define STAGE(name) TIME(name, "stages", name)
static const Column first_columns[] = {
  OWN("seq"),
  OWN("input", .is_path = TRUE),
  OWN("output", .is_path = TRUE),
  OWN("status"),
  OWN("error"),
  OWN("width"),
  OWN("height"),
};
static const Column last_columns[] = {
  TIME("kernel_ms_median", "kernel_ms", "median"),
  TIME("kernel_ms_min", "kernel_ms", "min"),
  TIME("kernel_ms_max", "kernel_ms", "max"),
  TIME("kernel_ms_n", "kernel_ms", "n"),
  TIME("filter_ms_median", "filter_ms", "median"),
  STAGE("decode_ms"),
  STAGE("build_ms"),
  STAGE("upload_ms"),
  STAGE("kernel_ms"),
  STAGE("download_ms"),
  STAGE("encode_ms"),
  {"mismatched_pixels", "verify", "mismatched_pixels"},
  {"max_difference", "verify", "max_difference"},
  OWN("profile"),
};

/* Calls @append for each column, those of the options between the others. */
static void
for_each_column(void (*append)(const Column *column, GString *line, JsonObject *image), GString *line,
                JsonObject *image)
{
  for (gsize i = 0; i < G_N_ELEMENTS(first_columns); i++)
    append(&first_columns[i], line, image);
  for (guint i = 0; i < ms_options.n_rows; i++) {
    const MsOptionInfo *row = &ms_options.rows[i];
    const char *parent = row->group == MS_OPTION_GROUP_FILTER ? "parameters" : "options";
    append(&(Column){row->json, parent, row->json, "%.10g", "auto"}, line, image);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(last_columns); i++)
    append(&last_columns[i], line, image);
}

static void
append_name(const Column *column, GString *line, JsonObject *image)
{
  ms_csv_append(line, column->name);
}

static void
append_cell(const Column *column, GString *line, JsonObject *image)
{
  JsonObject *owner = column->parent ? ms_json_get_object(image, column->parent) : image;
  JsonNode *value = owner ? json_object_get_member(owner, column->member) : NULL;

  if (!value || JSON_NODE_HOLDS_NULL(value)) {
    ms_csv_append(line, owner ? column->unknown : NULL);
  } else if (JSON_NODE_HOLDS_ARRAY(value)) {
    JsonArray *sides = json_node_get_array(value);
    g_autofree char *shape =
      g_strdup_printf("%dx%d", (int)json_array_get_int_element(sides, 0), (int)json_array_get_int_element(sides, 1));
    ms_csv_append(line, shape);
  } else if (json_node_get_value_type(value) == G_TYPE_DOUBLE) {
    ms_csv_append_number(line, json_node_get_double(value), column->format);
  } else if (json_node_get_value_type(value) == G_TYPE_INT64) {
    ms_csv_append_integer(line, json_node_get_int(value));
  } else {
    (column->is_path ? ms_csv_append_path_text : ms_csv_append)(line, json_node_get_string(value));
  }
}

/** ms_image_report_csv_header: (transfer full): the names of the columns. */
char *
ms_image_report_csv_header(void)
{
  GString *line = g_string_new(NULL);

  for_each_column(append_name, line, NULL);
  return g_string_free(g_string_append_c(line, '\n'), FALSE);
}

/** ms_image_report_csv_line: (transfer full): the line of one image, from ms_image_report_node(). */
char *
ms_image_report_csv_line(JsonNode *image)
{
  GString *line = g_string_new(NULL);

  for_each_column(append_cell, line, json_node_get_object(image));
  return g_string_free(g_string_append_c(line, '\n'), FALSE);
}

/* Text */

/** ms_image_report_text_title: (transfer full): the lines above an image's tables. */
char *
ms_image_report_text_title(const MsBatchItem *item)
{
  g_autofree char *settings = ms_settings_to_arguments(&item->used);
  g_autofree char *input = ms_printable(item->input, "");
  g_autofree char *output = ms_printable(item->output ? item->output : "", "");

  g_autofree char *profile = item->profile ? ms_printable(item->profile, "") : NULL;

  return g_strdup_printf("%s%s%s: %dx%d, %s\n  %s%s%s\n", input, item->output ? " -> " : "", output, item->width,
                         item->height, item->device ? item->device : "-", settings,
                         profile ? ", by the colour profile " : "", profile ? profile : "");
}

/* The sum of the rows of one stage and kernel: an image filtered in bands has hundreds of rows. */
typedef struct {
  MsTiming first;
  guint n;
  double queued_ms;
  double submitted_ms;
  double run_ms;
  guint64 bytes;
} Sum;

static Sum *
find_sum(GArray *sums, const MsTiming *row)
{
  for (guint i = 0; i < sums->len; i++) {
    Sum *sum = &g_array_index(sums, Sum, i);
    if (sum->first.stage == row->stage && sum->first.kernel == row->kernel)
      return sum;
  }
  g_array_set_size(sums, sums->len + 1);
  Sum *sum = &g_array_index(sums, Sum, sums->len - 1);
  sum->first = *row;
  return sum;
}

static GArray *
sum_rows(MsTimingLog *log)
{
  GArray *sums = g_array_new(FALSE, TRUE, sizeof(Sum));

  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *row = ms_timing_log_get(log, i);
    Sum *sum = find_sum(sums, row);
    sum->n++;
    sum->queued_ms += ms_timing_queued_ms(row);
    sum->submitted_ms += ms_timing_submitted_ms(row);
    sum->run_ms += ms_timing_ms(row);
    sum->bytes += row->bytes;
  }
  return sums;
}

/* (transfer full): @value for the table, an empty text for NAN, which stands for an unknown value. */
static char *
cell(double value)
{
  return isfinite(value) ? ms_number_format(value, "%.3f") : g_strdup("");
}

static void
append_sum(GString *text, const Sum *sum)
{
  double megabytes = (double)sum->bytes * 1e-6;
  g_autofree char *queued = cell(sum->queued_ms);
  g_autofree char *submitted = cell(sum->submitted_ms);
  g_autofree char *run = cell(sum->run_ms);
  g_autofree char *bytes = cell(sum->bytes > 0 ? megabytes : NAN);
  g_autofree char *rate = cell(sum->bytes > 0 && sum->run_ms > 0 ? megabytes / sum->run_ms : NAN);

  g_string_append_printf(text, "  %-9s %-24s %5u %11s %13s %11s %10s %9s\n", ms_stage_name(sum->first.stage),
                         sum->first.kernel ? sum->first.kernel : "", sum->n, queued, submitted, run, bytes, rate);
}

static void
append_repeat_line(GString *text, const char *what, const GArray *samples)
{
  MsSummary time = ms_statistics_summarise_array(samples);
  g_autofree char *median = ms_number_format(time.median, "%.3f");
  g_autofree char *min = ms_number_format(time.minimum, "%.3f");
  g_autofree char *max = ms_number_format(time.maximum, "%.3f");

  if (time.n > 0)
    g_string_append_printf(text, "  %s: median %s ms, minimum %s ms, maximum %s ms, n %u\n", what, median, min, max,
                           time.n);
}

/** ms_image_report_text_timings: (transfer full): a table of the times of every stage and kernel. */
char *
ms_image_report_text_timings(const MsBatchItem *item)
{
  GString *text = g_string_new(NULL);

  if (!item->log)
    return g_string_free(text, FALSE);
  g_autoptr(GArray) sums = sum_rows(item->log);
  g_string_append_printf(text, "  %-9s %-24s %5s %11s %13s %11s %10s %9s\n", "stage", "kernel", "count", "queued ms",
                         "submitted ms", "run ms", "MB", "GB/s");
  for (guint i = 0; i < sums->len; i++)
    append_sum(text, &g_array_index(sums, Sum, i));
  if (ms_timing_log_has_wall_clock(item->log))
    g_string_append(text, "  wall clock: this driver's events give no times\n");
  append_repeat_line(text, "kernels", item->kernel_ms);
  append_repeat_line(text, "whole filter, with transfers", item->filter_ms);
  return g_string_free(text, FALSE);
}

/** ms_image_report_text_verify: (transfer full): how the result compares with the reference. */
char *
ms_image_report_text_verify(const MsBatchItem *item)
{
  if (!item->verified)
    return g_strdup("");
  if (!ms_batch_item_differs(item))
    return g_strdup("  verified: identical to the reference\n");
  return g_strdup_printf("  differs from the reference: %" G_GUINT64_FORMAT " pixels, largest difference %d\n",
                         item->difference.mismatched_pixels, item->difference.max_difference);
}
