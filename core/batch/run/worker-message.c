/* SPDX-License-Identifier: MIT */
#include "core/batch/run/worker-message.h"

#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <string.h>

#define MESSAGE_TYPE "(uumv)"
#define JOBS_TYPE "a(tayayayay)"

/* What else of an item its worker needs. */
typedef struct {
  gboolean overwrite;
  gboolean skip_existing;
  gboolean numbered;
  gboolean perhaps_saved;
  int input_spool;
  int output_spool;
  gsize folder_length;
} Flags;

/* The results of an item apart from texts and lists. */
typedef struct {
  MsSettings used;
  MsImageDifference difference;
  MsFileStamp source;
  MsFileStamp result;
  gboolean verified;
} Facts;

static gboolean
read_all(GInputStream *stream, void *data, gsize size)
{
  gsize got = 0;

  return g_input_stream_read_all(stream, data, size, &got, NULL, NULL) && got == size;
}

/** ms_worker_message_write: @message is consumed when it is floating; %FALSE when the other end is closed. */
gboolean
ms_worker_message_write(int fd, GVariant *message)
{
  g_autoptr(GVariant) owned = g_variant_ref_sink(message);
  g_autoptr(GVariant) boxed = g_variant_ref_sink(g_variant_new_variant(owned));
  g_autoptr(GBytes) bytes = g_variant_get_data_as_bytes(boxed);
  gsize size = 0;
  const void *data = g_bytes_get_data(bytes, &size);
  g_autofree guint8 *frame = g_malloc(sizeof size + size);
  g_autoptr(GOutputStream) stream = g_unix_output_stream_new(fd, FALSE);

  /* Uses a single write, so that the receiver rarely waits in the middle of a message. */
  memcpy(frame, &size, sizeof size);
  memcpy(frame + sizeof size, data, size);
  return g_output_stream_write_all(stream, frame, sizeof size + size, NULL, NULL, NULL);
}

/** ms_worker_message_read: (transfer full) (nullable): the next message, %NULL when the other end is closed. */
GVariant *
ms_worker_message_read(int fd)
{
  g_autoptr(GInputStream) stream = g_unix_input_stream_new(fd, FALSE);
  gsize size;
  g_autofree guint8 *data = NULL;

  if (!read_all(stream, &size, sizeof size) || !(data = g_try_malloc(size)) || !read_all(stream, data, size))
    return NULL;
  g_autoptr(GBytes) bytes = g_bytes_new_take(g_steal_pointer(&data), size);
  g_autoptr(GVariant) boxed = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE_VARIANT, bytes, FALSE));
  return g_variant_get_variant(boxed);
}

/** ms_worker_message_new: (transfer floating): a message about the item at @index; @payload is consumed. */
GVariant *
ms_worker_message_new(MsWorkerMessageKind kind, guint index, GVariant *payload)
{
  return g_variant_new(MESSAGE_TYPE, (guint)kind, index, payload);
}

/** ms_worker_message_parse: @payload: (out) (transfer full) (nullable): see #MsWorkerMessageKind. */
MsWorkerMessageKind
ms_worker_message_parse(GVariant *message, guint *index, GVariant **payload)
{
  guint kind = 0;

  g_variant_get(message, MESSAGE_TYPE, &kind, index, payload);
  return kind;
}

/* Stores a file name as bytes, since it may not be UTF-8; an empty array stands for NULL. */
static GVariant *
bytes_of(const void *data, gsize size)
{
  return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, data, size, 1);
}

static GVariant *
text(const char *value)
{
  return bytes_of(value, value ? strlen(value) : 0);
}

static char *
get_text(GVariant *tuple, gsize index)
{
  g_autoptr(GVariant) child = g_variant_get_child_value(tuple, index);
  gsize size = 0;
  const char *data = g_variant_get_fixed_array(child, &size, 1);

  return size > 0 ? g_strndup(data, size) : NULL;
}

static gboolean
get_struct(GVariant *tuple, gsize index, void *into, gsize expected)
{
  g_autoptr(GVariant) child = g_variant_get_child_value(tuple, index);
  gsize size = 0;
  const void *data = g_variant_get_fixed_array(child, &size, 1);

  if (size == expected)
    memcpy(into, data, size);
  return size == expected;
}

/** ms_worker_message_new_jobs: (transfer floating): @items: (element-type MsBatchItem). */
GVariant *
ms_worker_message_new_jobs(GPtrArray *items)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE(JOBS_TYPE));
  for (guint i = 0; i < items->len; i++) {
    const MsBatchItem *item = g_ptr_array_index(items, i);
    Flags flags;
    memset(&flags, 0, sizeof flags);
    flags.overwrite = item->overwrite;
    flags.skip_existing = item->skip_existing;
    flags.numbered = item->numbered;
    flags.perhaps_saved = item->perhaps_saved;
    flags.input_spool = item->input_spool;
    flags.output_spool = item->output_spool;
    flags.folder_length = item->folder_length;
    g_variant_builder_add(&builder, "(t@ay@ay@ay@ay)", item->seq, text(item->input), text(item->relative),
                          text(item->output), bytes_of(&flags, sizeof flags));
  }
  return g_variant_builder_end(&builder);
}

/** ms_worker_message_get_jobs: (transfer full) (element-type MsBatchItem): pending items in the order of sending. */
GPtrArray *
ms_worker_message_get_jobs(GVariant *message)
{
  GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);

  for (gsize i = 0; i < g_variant_n_children(message); i++) {
    g_autoptr(GVariant) job = g_variant_get_child_value(message, i);
    g_autoptr(GVariant) seq = g_variant_get_child_value(job, 0);
    g_autofree char *input = get_text(job, 1);
    g_autofree char *relative = get_text(job, 2);
    MsBatchItem *item = ms_batch_item_new(g_variant_get_uint64(seq), input, relative ? relative : "");
    Flags flags = {FALSE};
    item->output = get_text(job, 3);
    get_struct(job, 4, &flags, sizeof flags);
    item->overwrite = flags.overwrite;
    item->skip_existing = flags.skip_existing;
    item->numbered = flags.numbered;
    item->perhaps_saved = flags.perhaps_saved;
    item->input_spool = flags.input_spool;
    item->output_spool = flags.output_spool;
    item->folder_length = flags.folder_length;
    g_ptr_array_add(items, item);
  }
  return items;
}

/* Each row is followed by its kernel's name, since a pointer is invalid in the other process. */
static GVariant *
log_of(const MsBatchItem *item)
{
  g_autoptr(GByteArray) rows = g_byte_array_new();
  guint n = item->log ? ms_timing_log_get_length(item->log) : 0;

  for (guint i = 0; i < n; i++) {
    const MsTiming *row = ms_timing_log_get(item->log, i);
    const char *kernel = row->kernel ? row->kernel : "";
    g_byte_array_append(rows, (const guint8 *)row, sizeof *row);
    g_byte_array_append(rows, (const guint8 *)kernel, (guint)strlen(kernel) + 1);
  }
  return bytes_of(rows->data, rows->len);
}

static MsTimingLog *
get_log(GVariant *tuple, gsize index)
{
  g_autoptr(GVariant) child = g_variant_get_child_value(tuple, index);
  gsize size = 0;
  const guint8 *data = g_variant_get_fixed_array(child, &size, 1);
  const guint8 *end = data + size;
  MsTimingLog *log = ms_timing_log_new();

  while (data < end) {
    MsTiming row;
    memcpy(&row, data, sizeof row);
    const char *kernel = (const char *)data + sizeof row;
    row.kernel = kernel[0] ? g_intern_string(kernel) : NULL;
    ms_timing_log_add(log, &row);
    data += sizeof row + strlen(kernel) + 1;
  }
  return log;
}

static GVariant *
times_of(const GArray *times)
{
  return bytes_of(times->data, times->len * sizeof(double));
}

static GVariant *
summary_of(const MsBatchItem *item)
{
  gsize size = 0;
  const void *data = item->summary ? g_bytes_get_data(item->summary, &size) : NULL;

  return bytes_of(data, size);
}

/** ms_worker_message_new_result: (transfer floating): the results of a finished item. */
GVariant *
ms_worker_message_new_result(const MsBatchItem *item)
{
  Facts facts;

  memset(&facts, 0, sizeof facts);
  facts.used = item->used;
  facts.difference = item->difference;
  facts.source = item->source;
  facts.result = item->result;
  facts.verified = item->verified;
  return g_variant_new("(u@ay@ay@ay@ay@ay@ayii@ay@ay@ay@ay@ay@ay@ay)", (guint)item->status, text(item->error),
                       text(item->reason), text(item->notes[MS_LANGUAGE_ENGLISH]), text(item->output),
                       text(item->device), text(item->rejected), item->width, item->height,
                       bytes_of(&facts, sizeof facts), times_of(item->kernel_ms), times_of(item->filter_ms),
                       log_of(item), text(item->shown), summary_of(item), text(item->notes[MS_LANGUAGE_USER]));
}

static int
get_int(GVariant *tuple, gsize index)
{
  g_autoptr(GVariant) child = g_variant_get_child_value(tuple, index);

  return g_variant_get_int32(child);
}

static void
take_text(GVariant *tuple, gsize index, char **into)
{
  g_free(*into);
  *into = get_text(tuple, index);
}

static void
take_times(GVariant *tuple, gsize index, GArray *into)
{
  g_autoptr(GVariant) child = g_variant_get_child_value(tuple, index);
  gsize size = 0;
  const void *data = g_variant_get_fixed_array(child, &size, 1);

  g_array_set_size(into, (guint)(size / sizeof(double)));
  if (size > 0)
    memcpy(into->data, data, into->len * sizeof(double));
}

static void
take_summary(GVariant *tuple, gsize index, GBytes **into)
{
  g_autoptr(GVariant) child = g_variant_get_child_value(tuple, index);
  gsize size = 0;
  const void *data = g_variant_get_fixed_array(child, &size, 1);

  g_clear_pointer(into, g_bytes_unref);
  *into = size > 0 ? g_bytes_new(data, size) : NULL;
}

/** ms_worker_message_take_result: copies the results of ms_worker_message_new_result() into @item. */
void
ms_worker_message_take_result(GVariant *payload, MsBatchItem *item)
{
  g_autoptr(GVariant) status = g_variant_get_child_value(payload, 0);
  Facts facts;

  item->status = g_variant_get_uint32(status);
  take_text(payload, 1, &item->error);
  take_text(payload, 2, &item->reason);
  take_text(payload, 3, &item->notes[MS_LANGUAGE_ENGLISH]);
  take_text(payload, 4, &item->output);
  take_text(payload, 5, &item->device);
  take_text(payload, 6, &item->rejected);
  item->width = get_int(payload, 7);
  item->height = get_int(payload, 8);
  if (get_struct(payload, 9, &facts, sizeof facts)) {
    item->used = facts.used;
    item->difference = facts.difference;
    item->source = facts.source;
    item->result = facts.result;
    item->verified = facts.verified;
  }
  take_times(payload, 10, item->kernel_ms);
  take_times(payload, 11, item->filter_ms);
  g_clear_object(&item->log);
  item->log = get_log(payload, 12);
  take_text(payload, 13, &item->shown);
  take_summary(payload, 14, &item->summary);
  take_text(payload, 15, &item->notes[MS_LANGUAGE_USER]);
}
