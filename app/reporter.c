/* SPDX-License-Identifier: MIT */
#include "app/reporter.h"

#include <stdio.h>
#include <string.h>

#include "app/report.h"
#include "core/image/atomic-file.h"

/* A report on its way: a file that appears whole at the end, or standard output. */
typedef struct {
  MsAtomicFile *file;
  gboolean open;
  GError *error;
} Sink;

struct _MsReporter {
  const MsCommandLine *line;
  GPtrArray *items;
  MsConsole *console;
  GMutex lock;
  Sink json;
  Sink csv;
  char *name;
  char *platform;
  char *driver;
  char *type;
  gboolean device_known;
  gboolean head_written;
  guint next;     /* item to be reported next */
  guint finished; /* items that have ended, reported or not */
  gint64 started;
};

static gboolean
sink_open(Sink *sink, const char *path, GError **error)
{
  if (!path)
    return TRUE;
  sink->open = TRUE;
  if (strcmp(path, MS_INPUT_STDIN) == 0)
    return TRUE;
  sink->file = ms_atomic_file_open(path, TRUE, error);
  return sink->file != NULL;
}

static void
sink_write(Sink *sink, const char *text)
{
  if (!sink->open || sink->error)
    return;
  if (sink->file)
    ms_atomic_file_write(sink->file, text, strlen(text), &sink->error);
  else if (fputs(text, stdout) < 0)
    g_set_error_literal(&sink->error, MS_ERROR, MS_ERROR_IO, "Standard output cannot be written to.");
}

static gboolean
sink_close(Sink *sink, GError **error)
{
  if (!sink->error && sink->file)
    ms_atomic_file_commit(sink->file, &sink->error);
  g_clear_pointer(&sink->file, ms_atomic_file_free);
  if (!sink->error)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&sink->error));
  return FALSE;
}

/**
 * ms_reporter_new:
 *
 * Returns: (transfer full): the reporter with its files open, or %NULL with #MS_ERROR_IO
 */
MsReporter *
ms_reporter_new(const MsCommandLine *line, GPtrArray *items, MsConsole *console, GError **error)
{
  g_autoptr(MsReporter) self = g_new0(MsReporter, 1);

  self->line = line;
  self->items = items;
  self->console = console;
  self->started = g_get_monotonic_time();
  g_mutex_init(&self->lock);
  if (!sink_open(&self->json, line->json, error) || !sink_open(&self->csv, line->csv, error))
    return NULL;
  if (self->csv.open) {
    g_autofree char *header = ms_image_report_csv_header();
    sink_write(&self->csv, header);
  }
  return g_steal_pointer(&self);
}

void
ms_reporter_free(MsReporter *self)
{
  if (!self)
    return;
  sink_close(&self->json, NULL);
  sink_close(&self->csv, NULL);
  g_mutex_clear(&self->lock);
  g_free(self->name);
  g_free(self->platform);
  g_free(self->driver);
  g_free(self->type);
  g_free(self);
}

static void
write_head(MsReporter *self)
{
  MsEngineInfo device = {self->name, self->platform, self->driver, self->type};
  g_autofree char *head = ms_image_report_head_json(self->name ? &device : NULL);

  if (!self->head_written)
    sink_write(&self->json, head);
  self->head_written = TRUE;
}

static void
write_json(MsReporter *self, const MsBatchItem *item)
{
  g_autofree char *image = NULL;

  if (!self->json.open)
    return;
  image = ms_image_report_image_json(item);
  sink_write(&self->json, self->next > 0 ? ",\n" : "\n");
  sink_write(&self->json, image);
}

static void
write_csv(MsReporter *self, const MsBatchItem *item)
{
  g_autofree char *line = self->csv.open ? ms_image_report_csv_line(item) : NULL;

  if (line)
    sink_write(&self->csv, line);
}

static void
print_tables(MsReporter *self, const MsBatchItem *item)
{
  const MsCommandLine *line = self->line;
  gboolean wanted = line->timings || line->stats || line->histogram || line->verify;

  if (!wanted || (item->status != MS_ITEM_DONE && !item->verified))
    return;
  g_autofree char *title = ms_image_report_title(item);
  g_autofree char *timings = line->timings ? ms_image_report_timings(item) : g_strdup("");
  g_autofree char *verify = ms_image_report_verify(item);
  g_autofree char *findings = ms_image_report_findings(item, line->stats, line->histogram);
  g_autofree char *text = g_strconcat(title, timings, verify, findings, NULL);
  ms_console_print(self->console, text);
}

static void
report_end(MsReporter *self, const MsBatchItem *item)
{
  if (item->status == MS_ITEM_FAILED)
    ms_console_error(self->console, item->error);
  if (item->note)
    ms_console_note(self->console, item->note);
  /* Of many the summary gives the number; a line for each would hide what matters. */
  if (item->status == MS_ITEM_SKIPPED && self->items->len == 1 && !self->line->dry_run) {
    g_autofree char *sentence = g_strdup_printf("'%s' is skipped: %s.", item->input, item->reason);
    ms_console_note(self->console, sentence);
  }
}

static void
report_item(MsReporter *self, MsBatchItem *item)
{
  report_end(self, item);
  write_json(self, item);
  write_csv(self, item);
  print_tables(self, item);
  ms_batch_item_forget_results(item);
  self->next++;
}

/*
 * Results come in any order and are handed on in that of the list; those before the device is known wait for its name.
 */
static void
report_ready(MsReporter *self)
{
  if (!self->device_known)
    return;
  write_head(self);
  while (self->next < self->items->len) {
    MsBatchItem *item = g_ptr_array_index(self->items, self->next);
    if (item->status == MS_ITEM_PENDING)
      return;
    report_item(self, item);
  }
}

/** ms_reporter_set_device: who does the work, which a report begins with. */
void
ms_reporter_set_device(MsReporter *self, const MsEngineInfo *device)
{
  g_mutex_lock(&self->lock);
  self->name = g_strdup(device->name);
  self->platform = g_strdup(device->platform);
  self->driver = g_strdup(device->driver);
  self->type = g_strdup(device->type);
  self->device_known = TRUE;
  g_mutex_unlock(&self->lock);
}

/** ms_reporter_item_finished: from any thread, one call at a time, as the runner's hook promises. */
void
ms_reporter_item_finished(MsReporter *self, MsBatchItem *item)
{
  g_mutex_lock(&self->lock);
  self->finished++;
  ms_console_progress_done(self->console, self->finished, self->items->len, item->input,
                           ms_item_status_name(item->status));
  report_ready(self);
  g_mutex_unlock(&self->lock);
}

/** ms_reporter_progress: @part of the image at hand is done. */
void
ms_reporter_progress(MsReporter *self, const MsBatchItem *item, double part)
{
  guint finished;

  g_mutex_lock(&self->lock);
  finished = self->finished;
  g_mutex_unlock(&self->lock);
  ms_console_progress(self->console, finished, self->items->len, item->input, part);
}

static void
report_rest(MsReporter *self)
{
  self->device_known = TRUE;
  report_ready(self);
  for (; self->next < self->items->len;)
    report_item(self, g_ptr_array_index(self->items, self->next));
}

static void
print_summary(MsReporter *self, const MsBatchCounts *counts, double seconds)
{
  g_autofree char *time = ms_image_report_number(seconds, "%.1f");
  g_autofree char *left = counts->pending ? g_strdup_printf(", %u not done", counts->pending) : g_strdup("");
  g_autofree char *sentence = g_strdup_printf("%u done, %u failed, %u skipped%s in %s s.", counts->done, counts->failed,
                                              counts->skipped, left, time);

  if (self->items->len > 1 && !self->line->dry_run)
    ms_console_note(self->console, sentence);
}

/**
 * ms_reporter_close:
 *
 * Reports what is left, also of an interrupted run, and puts the files in place.
 *
 * Returns: %FALSE with #MS_ERROR_IO when a report could not be written
 */
gboolean
ms_reporter_close(MsReporter *self, gboolean interrupted, GError **error)
{
  MsBatchCounts counts = ms_batch_count(self->items);
  double seconds = (double)(g_get_monotonic_time() - self->started) * 1e-6;
  g_autofree char *tail = ms_image_report_tail_json(&counts, seconds, interrupted);

  report_rest(self);
  sink_write(&self->json, tail);
  print_summary(self, &counts, seconds);
  return sink_close(&self->json, error) && sink_close(&self->csv, error);
}
