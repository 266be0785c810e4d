/* SPDX-License-Identifier: MIT */
#include "app/report/reporter.h"

#include <glib/gi18n-lib.h>

#include "app/report/image-report.h"
#include "app/report/image-summary.h"
#include "app/report/progress-json.h"
#include "app/report/report-file.h"
#include "core/text.h"

struct _MsReporter {
  const MsCommandLine *line;
  GPtrArray *items;
  MsConsole *console;
  MsReportFile *json; /* NULL where not requested */
  MsReportFile *csv;
  MsEngineInfo device; /* of interned texts */
  gboolean device_known;
  gboolean head_written;
  gboolean bits_noted; /* whether it was said that samples of more than 8 bits are reduced */
  guint next;          /* index of the item to be reported next */
  guint finished;      /* items that have finished, reported or not */
  gint64 started;
};

/**
 * ms_reporter_new:
 *
 * Returns: (transfer full): the reporter with its files open, or %NULL with #MS_ERROR_IO
 */
MsReporter *
ms_reporter_new(const MsCommandLine *line, GPtrArray *items, MsConsole *console, GCancellable *cancellable,
                GError **error)
{
  g_autoptr(MsReporter) self = g_new0(MsReporter, 1);

  self->line = line;
  self->items = items;
  self->console = console;
  self->started = g_get_monotonic_time();
  if ((line->json && !(self->json = ms_report_file_open(line->json, cancellable, error))) ||
      (line->csv && !(self->csv = ms_report_file_open(line->csv, cancellable, error))))
    return NULL;
  if (self->csv) {
    g_autofree char *header = ms_image_report_csv_header();
    ms_report_file_write(self->csv, header);
  }
  return g_steal_pointer(&self);
}

void
ms_reporter_free(MsReporter *self)
{
  if (!self)
    return;
  ms_report_file_free(self->json);
  ms_report_file_free(self->csv);
  g_free(self);
}

static void
write_head(MsReporter *self)
{
  if (!self->json || self->head_written)
    return;
  g_autofree char *head = ms_image_report_json_head(self->device.name ? &self->device : NULL);
  ms_report_file_write(self->json, head);
  self->head_written = TRUE;
}

static void
write_reports(MsReporter *self, const MsBatchItem *item)
{
  g_autoptr(JsonNode) image = self->json || self->csv ? ms_image_report_node(item) : NULL;

  if (self->json) {
    g_autofree char *object = json_to_string(image, TRUE);
    ms_report_file_write(self->json, self->next > 0 ? ",\n" : "\n");
    ms_report_file_write(self->json, object);
  }
  if (self->csv) {
    g_autofree char *line = ms_image_report_csv_line(image);
    ms_report_file_write(self->csv, line);
  }
}

static void
print_tables(MsReporter *self, const MsBatchItem *item)
{
  const MsCommandLine *line = self->line;
  gboolean wanted = line->timings || line->stats || line->histogram || line->batch.verify;

  if (!wanted || (item->status != MS_ITEM_DONE && !item->verified))
    return;
  g_autofree char *title = ms_image_report_text_title(item);
  g_autofree char *timings = line->timings ? ms_image_report_text_timings(item) : g_strdup("");
  g_autofree char *verify = ms_image_report_text_verify(item);
  g_autofree char *summary = ms_image_summary_to_text(item->summary);
  g_autofree char *text = g_strconcat(title, timings, verify, summary, NULL);
  ms_console_print(self->console, text);
}

/* Of images whose only loss are their bits a sample the first is named; the reports have the notes of all. */
static void
note_losses(MsReporter *self, const MsBatchItem *item)
{
  const gboolean is_of_bits = ms_note_is_only(item->notes, MS_NOTE_BITS);
  g_autofree char *note = ms_note_describe(item->notes, MS_LANGUAGE_USER);

  if (!note || (is_of_bits && self->bits_noted))
    return;
  ms_console_note(self->console, note);
  if (is_of_bits && self->items->len > 1)
    ms_console_note(self->console, _("Further images of more than 8 bits a sample are reduced without a note here."));
  self->bits_noted |= is_of_bits;
}

static void
report_outcome(MsReporter *self, const MsBatchItem *item)
{
  if (item->status == MS_ITEM_FAILED)
    ms_console_error_log(self->console, item->shown);
  note_losses(self, item);
  /* For several images the summary counts the skipped ones; a line for each would hide the errors. */
  if (item->status == MS_ITEM_SKIPPED && self->items->len == 1 && !self->line->dry_run) {
    g_autofree char *sentence = g_strdup_printf(_("'%s' is skipped: %s."), item->input, _(item->reason));
    ms_console_note(self->console, sentence);
  }
}

static void
report_item(MsReporter *self, MsBatchItem *item)
{
  report_outcome(self, item);
  write_reports(self, item);
  print_tables(self, item);
  ms_batch_item_forget_results(item);
  self->next++;
}

/* Reports finished items in the order of the list once the device is known. */
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

/* The texts of the device stay. */
static void
set_device(MsReporter *self, const MsEngineInfo *device)
{
  self->device = (MsEngineInfo){g_intern_string(device->name), g_intern_string(device->platform),
                                g_intern_string(device->driver), g_intern_string(device->type)};
  self->device_known = TRUE;
}

/** ms_reporter_take: takes an event of the batch; reports the item that has finished and the finished ones after it. */
void
ms_reporter_take(MsReporter *self, MsBatchEvent *event)
{
  const char *name = event->item ? event->item->input : NULL;

  if (event->kind == MS_BATCH_FINISHED)
    ms_console_progress_done(self->console, ++self->finished, self->items->len, name,
                             ms_item_status_name(event->item->status));
  else if (event->kind == MS_BATCH_PROGRESS)
    ms_console_progress(self->console, self->finished, self->items->len, name, event->fraction);
  else if (event->kind == MS_BATCH_DEVICE)
    set_device(self, &event->device);
  else if (event->kind == MS_BATCH_PROBLEM)
    ms_console_error(self->console, event->sentence);
  ms_progress_batch(self->console, event);
  if (event->kind == MS_BATCH_FINISHED)
    report_ready(self);
}

static void
report_rest(MsReporter *self)
{
  self->device_known = TRUE;
  report_ready(self);
  while (self->next < self->items->len)
    report_item(self, g_ptr_array_index(self->items, self->next));
}

static void
print_summary(MsReporter *self, const MsBatchCounts *counts, double seconds)
{
  g_autofree char *time = ms_number_format(seconds, "%.1f");
  g_autofree char *left = counts->pending ? g_strdup_printf(", %u not done", counts->pending) : g_strdup("");
  g_autofree char *sentence = g_strdup_printf("%u done, %u failed, %u skipped%s in %s s.", counts->done, counts->failed,
                                              counts->skipped, left, time);

  if (self->items->len > 1 && !self->line->dry_run)
    ms_console_note(self->console, sentence);
}

/**
 * ms_reporter_close:
 *
 * Reports the remaining items, those that an interrupted run left undone included, and completes the reports' files.
 *
 * Returns: %FALSE with #MS_ERROR_IO when a report could not be written
 */
gboolean
ms_reporter_close(MsReporter *self, gboolean interrupted, GError **error)
{
  MsBatchCounts counts = ms_batch_count(self->items);
  double seconds = (double)(g_get_monotonic_time() - self->started) * 1e-6;

  report_rest(self);
  if (self->json) {
    g_autofree char *tail = ms_image_report_json_tail(&counts, seconds, interrupted);
    ms_report_file_write(self->json, tail);
  }
  print_summary(self, &counts, seconds);
  ms_progress_counts(self->console, &counts, seconds, interrupted);
  return (!self->json || ms_report_file_close(self->json, error)) &&
         (!self->csv || ms_report_file_close(self->csv, error));
}
