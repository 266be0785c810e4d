/* SPDX-License-Identifier: MIT */
#include "app/report/progress-json.h"

#include "core/json.h"
#include "core/lab/report/report.h"

/* (transfer full) (nullable): an event that was begun; %NULL where none is wanted. */
static JsonBuilder *
begin(MsConsole *console, const char *event)
{
  JsonBuilder *b = ms_console_has_events(console) ? json_builder_new() : NULL;

  if (!b)
    return NULL;
  json_builder_begin_object(b);
  ms_json_add_text(b, "event", event);
  return b;
}

static JsonBuilder *
begin_seldom(MsConsole *console, const char *event, MsConsoleRate rate)
{
  return ms_console_event_is_due(console, rate) ? begin(console, event) : NULL;
}

/* @b: (transfer full) */
static void
end(MsConsole *console, JsonBuilder *b)
{
  json_builder_end_object(b);
  g_autoptr(JsonNode) root = json_builder_get_root(b);
  g_autofree char *text = json_to_string(root, FALSE);
  g_autofree char *line = g_strconcat(text, "\n", NULL);

  ms_console_write_event(console, line);
  g_object_unref(b);
}

/** ms_progress_batch: an event of a batch, unless its kind has no name in files. */
void
ms_progress_batch(MsConsole *console, MsBatchEvent *event)
{
  if (event->kind > MS_BATCH_PROBLEM || !ms_console_has_events(console) ||
      (event->kind == MS_BATCH_PROGRESS && !ms_console_event_is_due(console, MS_CONSOLE_FRACTION)))
    return;
  g_autoptr(JsonBuilder) b = json_builder_new();
  ms_batch_event_describe(event);
  json_builder_begin_object(b);
  ms_record_add_members(&ms_batch_event_record, event, b);
  end(console, g_steal_pointer(&b));
  ms_batch_event_clear(event);
}

/** ms_progress_counts: what became of the images of a batch. */
void
ms_progress_counts(MsConsole *console, const MsBatchCounts *counts, double seconds, gboolean interrupted)
{
  JsonBuilder *b = begin(console, "summary");

  if (!b)
    return;
  ms_json_add_integer(b, "done", counts->done);
  ms_json_add_integer(b, "failed", counts->failed);
  ms_json_add_integer(b, "skipped", counts->skipped);
  ms_json_add_integer(b, "pending", counts->pending);
  ms_json_add_number(b, "seconds", seconds);
  ms_json_add_boolean(b, "interrupted", interrupted);
  end(console, b);
}

/** ms_progress_fraction: @fraction, from 0 to 1, of the run is done. */
void
ms_progress_fraction(MsConsole *console, double fraction, const char *message)
{
  JsonBuilder *b = begin_seldom(console, "progress", MS_CONSOLE_FRACTION);

  if (!b)
    return;
  ms_json_add_number(b, "fraction", fraction);
  ms_json_add_text(b, "message", message);
  end(console, b);
}

static void
add_node(JsonBuilder *b, const char *name, JsonNode *node)
{
  json_builder_set_member_name(b, name);
  json_builder_add_value(b, node);
}

static void
add_shown(JsonBuilder *b, const char *shown)
{
  if (shown)
    json_builder_add_string_value(b, shown);
  else
    json_builder_add_null_value(b);
}

/** ms_progress_report: the report so far, or with @is_last the last one of an experiment or a search. */
void
ms_progress_report(MsConsole *console, const MsReport *report, gboolean is_last)
{
  JsonBuilder *b = is_last ? begin(console, "report") : begin_seldom(console, "report", MS_CONSOLE_REPORT);

  if (!b)
    return;
  add_node(b, "report", ms_report_to_json_node(report));
  ms_json_begin_array(b, "shown");
  for (guint i = 0; i < report->rows->len; i++)
    add_shown(b, ((const MsReportRow *)report->rows->pdata[i])->measurement->shown);
  json_builder_end_array(b);
  end(console, b);
}

/** ms_progress_error: why the run cannot go on. */
void
ms_progress_error(MsConsole *console, const GError *error)
{
  g_autofree char *english = ms_error_dup_english(error);
  JsonBuilder *b = begin(console, "error");

  if (!b)
    return;
  ms_json_add_text(b, "message", english);
  ms_json_add_text(b, "shown", error->message);
  end(console, b);
}

/** ms_progress_ended: the last event; a run without it has not ended by itself. */
void
ms_progress_ended(MsConsole *console, MsExitStatus status)
{
  JsonBuilder *b = begin(console, "ended");

  if (!b)
    return;
  ms_json_add_integer(b, "status", status);
  end(console, b);
}
