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
  ITEM(kernel_ms, OWN, "kernel_ms", .add = add_repeat_time),
  ITEM(filter_ms, OWN, "filter_ms", .add = add_repeat_time),
  MS_FIELD_OF(SHOWN, "verify", .record = &verify_record),
};

/** ms_image_report_record: the members of an image but those of its summary. */
const MsRecord ms_image_report_record = MS_RECORD(image_fields);

static char *
builder_to_text(JsonBuilder *b)
{
  g_autoptr(JsonNode) root = json_builder_get_root(b);

  return json_to_string(root, TRUE);
}

/** ms_image_report_json_image: (transfer full): one object of the array "images". */
char *
ms_image_report_json_image(const MsBatchItem *item)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  json_builder_begin_object(b);
  ms_record_add_members(&ms_image_report_record, item, b);
  ms_image_summary_add_json(item->summary, b);
  json_builder_end_object(b);
  return builder_to_text(b);
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

/* CSV */

#define TIME_FORMAT "%.6f"

static const MsField first_columns[] = {
  ITEM(seq, COUNT, "seq"),       ITEM(input, PATH, "input"),
  ITEM(output, PATH, "output"),  MS_FIELD_OF(COMPUTED_TEXT, "status", .text = dup_status),
  ITEM(error, TEXT, "error"),    ITEM(width, WHOLE, "width"),
  ITEM(height, WHOLE, "height"),
};
static const MsRecord first_columns_record = MS_RECORD(first_columns);

static const MsStage stages[] = {MS_STAGE_DECODE, MS_STAGE_BUILD,    MS_STAGE_UPLOAD,
                                 MS_STAGE_KERNEL, MS_STAGE_DOWNLOAD, MS_STAGE_ENCODE};

/** ms_image_report_csv_header: (transfer full): the names of the columns. */
char *
ms_image_report_csv_header(void)
{
  GString *line = g_string_new(NULL);
  const MsOptionInfo *rows = ms_options.rows;

  ms_record_append_names(&first_columns_record, line);
  for (guint i = 0; i < ms_options.n_rows; i++)
    ms_csv_append(line, rows[i].json);
  g_string_append(line, ",kernel_ms_median,kernel_ms_min,kernel_ms_max,kernel_ms_n,filter_ms_median");
  for (gsize i = 0; i < G_N_ELEMENTS(stages); i++)
    g_string_append_printf(line, ",%s_ms", ms_stage_name(stages[i]));
  g_string_append(line, ",mismatched_pixels,max_difference,profile\n");
  return g_string_free(line, FALSE);
}

static void
append_settings(GString *line, const MsSettings *settings)
{
  const MsOptionInfo *rows = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&rows[i], settings);
    ms_csv_append(line, value);
  }
}

/* A time that was not measured is an empty cell. */
static void
append_times(GString *line, const MsBatchItem *item)
{
  MsSummary time = ms_statistics_summarise_array(item->kernel_ms);
  MsSummary whole = ms_statistics_summarise_array(item->filter_ms);

  ms_csv_append_number(line, time.n > 0 ? time.median : NAN, TIME_FORMAT);
  ms_csv_append_number(line, time.n > 0 ? time.minimum : NAN, TIME_FORMAT);
  ms_csv_append_number(line, time.n > 0 ? time.maximum : NAN, TIME_FORMAT);
  ms_csv_append_integer(line, time.n);
  ms_csv_append_number(line, whole.n > 0 ? whole.median : NAN, TIME_FORMAT);
  for (gsize i = 0; i < G_N_ELEMENTS(stages); i++)
    ms_csv_append_number(line, item->log ? ms_timing_log_total_ms(item->log, stages[i]) : NAN, TIME_FORMAT);
}

/** ms_image_report_csv_line: (transfer full): the line of one image. */
char *
ms_image_report_csv_line(const MsBatchItem *item)
{
  GString *line = g_string_new(NULL);

  ms_record_append_cells(&first_columns_record, item, line);
  append_settings(line, &item->used);
  append_times(line, item);
  if (item->verified) {
    ms_csv_append_integer(line, (gint64)item->difference.mismatched_pixels);
    ms_csv_append_integer(line, item->difference.max_difference);
  } else {
    g_string_append(line, ",,");
  }
  ms_csv_append(line, item->profile ? item->profile : "");
  g_string_append_c(line, '\n');
  return g_string_free(line, FALSE);
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
