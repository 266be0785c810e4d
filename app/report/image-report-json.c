/* SPDX-License-Identifier: MIT */
#include "app/report/image-report-json.h"

#include <math.h>
#include <string.h>

#include "app/report/image-summary.h"
#include "core/json.h"
#include "core/lab/measure/statistics.h"
#include "core/path-text.h"

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
    json_builder_add_double_value(b, ms_option_get_number(row, settings));
  else if (row->kind == MS_OPTION_INT || row->numeric_values)
    json_builder_add_int_value(b, (gint64)ms_option_get_number(row, settings));
  else
    json_builder_add_string_value(b, text);
}

static void
add_options(JsonBuilder *b, const char *member, MsOptionGroup group, const MsSettings *settings)
{
  const MsOptionInfo *rows = ms_options.rows;

  ms_json_begin_object(b, member);
  for (guint i = 0; i < ms_options.n_rows; i++)
    if (rows[i].group == group)
      add_option(b, &rows[i], settings);
  json_builder_end_object(b);
}

static void
add_timing(JsonBuilder *b, const MsTiming *row)
{
  json_builder_begin_object(b);
  ms_json_add_text(b, "stage", ms_stage_name(row->stage));
  ms_json_add_text(b, "kernel", row->kernel);
  ms_json_add_number(b, "ms", to_nanoseconds(ms_timing_ms(row)));
  ms_json_add_integer(b, "queued_ns", (gint64)row->queued_ns);
  ms_json_add_integer(b, "submitted_ns", (gint64)row->submitted_ns);
  ms_json_add_integer(b, "started_ns", (gint64)row->started_ns);
  ms_json_add_integer(b, "ended_ns", (gint64)row->ended_ns);
  ms_json_add_integer(b, "bytes", (gint64)row->bytes);
  ms_json_add_number(b, "gb_per_s", to_nanoseconds(ms_timing_gb_per_s(row)));
  json_builder_end_object(b);
}

static void
add_timings(JsonBuilder *b, MsTimingLog *log)
{
  ms_json_begin_array(b, "timings");
  for (guint i = 0; log && i < ms_timing_log_get_length(log); i++)
    add_timing(b, ms_timing_log_get(log, i));
  json_builder_end_array(b);
}

static void
add_repeat_time(JsonBuilder *b, const char *name, const GArray *samples)
{
  MsSummary time = ms_statistics_summarise((const double *)samples->data, samples->len);

  json_builder_set_member_name(b, name);
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
    json_builder_add_double_value(b, to_nanoseconds(g_array_index(samples, double, i)));
  json_builder_end_array(b);
  json_builder_end_object(b);
}

static void
add_verify(JsonBuilder *b, const MsBatchItem *item)
{
  json_builder_set_member_name(b, "verify");
  if (!item->verified) {
    json_builder_add_null_value(b);
    return;
  }
  json_builder_begin_object(b);
  ms_json_add_integer(b, "mismatched_pixels", (gint64)item->difference.mismatched_pixels);
  ms_json_add_integer(b, "max_difference", item->difference.max_difference);
  json_builder_end_object(b);
}

/* Reports have the states done, failed and skipped; an image that an interruption left pending counts as skipped. */
static const char *
status_name(const MsBatchItem *item)
{
  return ms_item_status_name(item->status == MS_ITEM_PENDING ? MS_ITEM_SKIPPED : item->status);
}

static void
add_path(JsonBuilder *b, const char *name, const char *path)
{
  g_autofree char *text = path ? ms_path_to_text(path) : NULL;

  ms_json_add_text(b, name, text);
}

static void
add_image(JsonBuilder *b, const MsBatchItem *item)
{
  json_builder_begin_object(b);
  add_path(b, "input", item->input);
  add_path(b, "output", item->output);
  ms_json_add_integer(b, "seq", (gint64)item->seq);
  ms_json_add_integer(b, "width", item->width);
  ms_json_add_integer(b, "height", item->height);
  ms_json_add_text(b, "status", status_name(item));
  ms_json_add_text(b, "error", item->error);
  ms_json_add_text(b, "reason", item->status == MS_ITEM_PENDING ? "interrupted" : item->reason);
  ms_json_add_text(b, "note", item->notes[MS_LANGUAGE_ENGLISH]);
  ms_json_add_text(b, "device", item->device);
  add_options(b, "parameters", MS_OPTION_GROUP_FILTER, &item->used);
  add_options(b, "options", MS_OPTION_GROUP_TOGGLE, &item->used);
  ms_json_add_text(b, "rejected", item->rejected);
  add_timings(b, item->log);
  add_repeat_time(b, "kernel_ms", item->kernel_ms);
  add_repeat_time(b, "filter_ms", item->filter_ms);
  add_verify(b, item);
  ms_image_summary_add_json(item->summary, b);
  json_builder_end_object(b);
}

static char *
builder_to_text(JsonBuilder *b)
{
  g_autoptr(JsonGenerator) generator = json_generator_new();
  g_autoptr(JsonNode) root = json_builder_get_root(b);

  json_generator_set_root(generator, root);
  json_generator_set_pretty(generator, TRUE);
  return json_generator_to_data(generator, NULL);
}

/** ms_image_report_json_image: (transfer full): one object of the array "images". */
char *
ms_image_report_json_image(const MsBatchItem *item)
{
  g_autoptr(JsonBuilder) b = json_builder_new();

  add_image(b, item);
  return builder_to_text(b);
}

static void
add_device(JsonBuilder *b, const MsEngineInfo *device)
{
  json_builder_set_member_name(b, "device");
  if (!device) {
    json_builder_add_null_value(b);
    return;
  }
  json_builder_begin_object(b);
  ms_json_add_text(b, "name", device->name);
  ms_json_add_text(b, "platform", device->platform);
  ms_json_add_text(b, "driver", device->driver);
  ms_json_add_text(b, "type", device->type);
  json_builder_end_object(b);
}

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
  add_device(b, device);
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
