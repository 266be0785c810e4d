/* SPDX-License-Identifier: MIT */
#include "core/batch/event.h"

#include <glib/gi18n-lib.h>
#include <math.h>

static const char *const kind_names[] = {"planned", "started", "progress", "finished", "error", NULL};

/* What files say of an event */

static gboolean
is_described(gconstpointer event)
{
  return ((const MsBatchEvent *)event)->seq > 0;
}

static gboolean
tells_state(gconstpointer event)
{
  const MsBatchEvent *self = event;

  return is_described(event) && self->kind != MS_BATCH_PROGRESS;
}

static gboolean
tells_message(gconstpointer event)
{
  return tells_state(event) || ((const MsBatchEvent *)event)->kind == MS_BATCH_PROBLEM;
}

static gboolean
tells_fraction(gconstpointer event)
{
  return ((const MsBatchEvent *)event)->kind == MS_BATCH_PROGRESS;
}

/* What the process with the device tells */

static gboolean
tells_device(gconstpointer event)
{
  return ((const MsBatchEvent *)event)->kind == MS_BATCH_DEVICE;
}

static gboolean
tells_ended(gconstpointer event)
{
  const MsBatchEvent *self = event;

  return self->item && (self->kind == MS_BATCH_SAVING || self->kind == MS_BATCH_FINISHED);
}

/* The results of filtering are sent once: in the event before the file gets its name, or else in the last event. */
static gboolean
tells_filtered(gconstpointer event)
{
  const MsBatchEvent *self = event;

  return tells_ended(event) && !(self->kind == MS_BATCH_FINISHED && self->item->has_told);
}

static void
pack_log(gconstpointer member, GByteArray *bytes)
{
  MsTimingLog *log = *(MsTimingLog *const *)member;
  g_autoptr(GVariant) rows = log ? g_variant_ref_sink(ms_timing_log_to_variant(log)) : NULL;

  if (rows)
    g_byte_array_append(bytes, g_variant_get_data(rows), (guint)g_variant_get_size(rows));
}

static void
unpack_log(gpointer member, const guint8 *data, gsize size)
{
  const GVariantType *type = G_VARIANT_TYPE(MS_TIMING_LOG_TYPE);
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GVariant) rows = g_variant_ref_sink(g_variant_new_from_bytes(type, bytes, FALSE));
  MsTimingLog *log = ms_timing_log_new_from_variant(rows);

  g_clear_pointer((MsTimingLog **)member, ms_timing_log_unref);
  *(MsTimingLog **)member = log ? log : ms_timing_log_new();
}

static void
pack_summary(gconstpointer member, GByteArray *bytes)
{
  GBytes *summary = *(GBytes *const *)member;
  gsize n = 0;
  const void *data = summary ? g_bytes_get_data(summary, &n) : NULL;

  g_byte_array_append(bytes, data, (guint)n);
}

static void
unpack_summary(gpointer member, const guint8 *data, gsize size)
{
  GBytes **summary = member;

  g_clear_pointer(summary, g_bytes_unref);
  *summary = size > 0 ? g_bytes_new(data, size) : NULL;
}

#define TOLD(member, form, name, ...) MS_FIELD(MsBatchEvent, member, form, name, .has = __VA_ARGS__)
#define FILTERED(member, form, ...)                                                                                    \
  MS_FIELD_VIA(MsBatchEvent, item, MsBatchItem, member, form, NULL, .has = tells_filtered, __VA_ARGS__)
#define ENDED(member, form, ...)                                                                                       \
  MS_FIELD_VIA(MsBatchEvent, item, MsBatchItem, member, form, NULL, .has = tells_ended, __VA_ARGS__)

static const MsField fields[] = {
  MS_FIELD(MsBatchEvent, kind, CHOICE, "event", .names = kind_names),
  TOLD(seq, COUNT, "seq", is_described),
  TOLD(input, PATH, "input", is_described),
  TOLD(output, PATH, "output", tells_state),
  TOLD(status, CHOICE, "status", tells_state, .names = ms_item_status_names),
  TOLD(message, TEXT, "message", tells_message),
  TOLD(shown, TEXT, "shown", tells_message),
  TOLD(width, WHOLE, "width", tells_state),
  TOLD(height, WHOLE, "height", tells_state),
  TOLD(kernel_ms, NUMBER, "kernel_ms", tells_state),
  TOLD(fraction, NUMBER, "fraction", tells_fraction),
  TOLD(device.name, WORD, NULL, tells_device),
  TOLD(device.platform, WORD, NULL, tells_device),
  TOLD(device.driver, WORD, NULL, tells_device),
  TOLD(device.type, WORD, NULL, tells_device),
  FILTERED(source, OWN),
  FILTERED(width, WHOLE),
  FILTERED(height, WHOLE),
  FILTERED(bits, WHOLE),
  FILTERED(used, OWN),
  FILTERED(kernel_ms, NUMBERS),
  FILTERED(filter_ms, NUMBERS),
  FILTERED(rejected, TEXT),
  FILTERED(profile, TEXT),
  FILTERED(verified, BOOLEAN),
  FILTERED(difference, OWN),
  FILTERED(summary, OWN, .pack = pack_summary, .unpack = unpack_summary),
  ENDED(status, COUNT),
  ENDED(output, TEXT),
  ENDED(error, TEXT),
  ENDED(shown, TEXT),
  ENDED(reason, TEXT),
  ENDED(notes, TEXT),
  ENDED(result, OWN),
  ENDED(device, TEXT),
  ENDED(log, OWN, .pack = pack_log, .unpack = unpack_log),
};

/** ms_batch_event_record: members without a name are in messages alone. */
const MsRecord ms_batch_event_record = MS_RECORD(fields);

static double
sum_of(const GArray *times)
{
  double sum = times->len > 0 ? 0 : NAN;

  for (guint i = 0; i < times->len; i++)
    sum += g_array_index(times, double, i);
  return sum;
}

static void
describe_outcome(MsBatchEvent *self)
{
  const MsBatchItem *item = self->item;

  if (item->error || item->reason) {
    self->message = g_strdup(item->error ? item->error : item->reason);
    self->shown = g_strdup(item->error ? item->shown : _(item->reason));
    return;
  }
  self->message = ms_note_describe(item->notes, MS_LANGUAGE_ENGLISH);
  self->shown = ms_note_describe(item->notes, MS_LANGUAGE_USER);
}

/** ms_batch_event_describe: fills in what files say of the item or the problem. */
void
ms_batch_event_describe(MsBatchEvent *self)
{
  const MsBatchItem *item = self->item;

  ms_batch_event_clear(self);
  if (!item) {
    self->message = g_strdup(self->sentence);
    self->shown = g_strdup(self->sentence);
    return;
  }
  self->seq = item->seq;
  self->input = g_strdup(item->input);
  self->output = g_strdup(item->output);
  self->status = item->status;
  self->width = item->width;
  self->height = item->height;
  self->kernel_ms = sum_of(item->kernel_ms);
  describe_outcome(self);
}

/** ms_batch_event_clear: frees what ms_batch_event_describe() or reading has filled in. */
void
ms_batch_event_clear(MsBatchEvent *self)
{
  g_clear_pointer(&self->input, g_free);
  g_clear_pointer(&self->output, g_free);
  g_clear_pointer(&self->message, g_free);
  g_clear_pointer(&self->shown, g_free);
}

/** ms_batch_event_to_message: (transfer floating): of type %MS_RECORD_MESSAGE, for the process that has started this */
GVariant *
ms_batch_event_to_message(MsBatchEvent *self)
{
  GVariant *message = ms_record_to_message(&ms_batch_event_record, self);

  if (self->item)
    self->item->has_told = self->kind == MS_BATCH_SAVING;
  return message;
}

/** ms_batch_event_take: reads what ms_batch_event_to_message() tells, into the item as well where there is one. */
void
ms_batch_event_take(MsBatchEvent *self, GVariant *message)
{
  ms_record_from_message(&ms_batch_event_record, self, message);
  self->kind = MIN(self->kind, MS_BATCH_NOTE);
  if (self->item)
    self->item->status = MIN(self->item->status, MS_ITEM_SKIPPED);
}
