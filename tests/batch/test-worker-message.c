/* SPDX-License-Identifier: MIT */
/* Items and results on their way between the supervisor of a batch and its worker. */
#include <math.h>
#include <sys/stat.h>

#include "core/batch/worker.h"
#include "tests/support/cases.h"

/* A message as it is after the pipe: bytes in, bytes out. */
static GVariant *
pass(GVariant *message)
{
  g_autoptr(GVariant) sent = g_variant_ref_sink(message);
  g_autoptr(GBytes) bytes = g_variant_get_data_as_bytes(sent);

  return g_variant_ref_sink(g_variant_new_from_bytes(g_variant_get_type(sent), bytes, FALSE));
}

static MsBatchItem *
add_item(GPtrArray *items, guint64 seq, const char *input, const char *relative)
{
  MsBatchItem *item = ms_batch_item_new(seq, input, relative);

  g_ptr_array_add(items, item);
  return item;
}

static void
assert_same_job(const MsBatchItem *sent, const MsBatchItem *found)
{
  g_assert_cmpstr(found->input, ==, sent->input);
  g_assert_cmpstr(found->output, ==, sent->output);
  g_assert_cmpuint(found->folder_length, ==, sent->folder_length);
  g_assert_true(ms_file_id_equal(&found->folder, &sent->folder));
  g_assert_cmpint(found->input_is_stream, ==, sent->input_is_stream);
  g_assert_cmpint(found->output_is_stream, ==, sent->output_is_stream);
  g_assert_cmpint(found->follow_links, ==, sent->follow_links);
  g_assert_cmpint(found->overwrite, ==, sent->overwrite);
  g_assert_cmpint(found->skip_existing, ==, sent->skip_existing);
  g_assert_cmpint(found->numbered, ==, sent->numbered);
  g_assert_cmpint(found->shortened, ==, sent->shortened);
  g_assert_cmpint(found->input_spool, ==, sent->input_spool);
  g_assert_cmpint(found->output_spool, ==, sent->output_spool);
  g_assert_cmpint(found->status, ==, MS_ITEM_PENDING);
}

/* Names may be empty, missing or no UTF-8; every flag stands alone in one item. */
static void
test_jobs(void)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);

  add_item(items, G_GUINT64_CONSTANT(1) << 40, "in/\xff.png", "");
  add_item(items, 2, "-", "a/b.png")->output = g_strdup("out/b.png");
  add_item(items, 3, "c", "c")->overwrite = TRUE;
  add_item(items, 4, "d", "d")->skip_existing = TRUE;
  add_item(items, 5, "e", "e")->numbered = TRUE;
  add_item(items, 6, "g", "g")->shortened = TRUE;
  add_item(items, 7, "g", "g")->input_spool = 5;
  add_item(items, 8, "h", "h")->output_spool = 6;
  MsBatchItem *placed = add_item(items, 9, "i", "i");
  placed->folder_length = 300;
  placed->folder = (MsFileId){4, G_MAXUINT64};
  placed->input_is_stream = placed->output_is_stream = placed->follow_links = TRUE;
  g_autoptr(GVariant) message = pass(ms_worker_new_items(items, TRUE));
  gboolean on_processor = FALSE;
  g_autoptr(GPtrArray) found = ms_worker_take_items(message, &on_processor);
  g_assert_true(on_processor);
  g_assert_cmpuint(found->len, ==, items->len);
  for (guint i = 0; i < items->len; i++) {
    assert_same_job(g_ptr_array_index(items, i), g_ptr_array_index(found, i));
    g_assert_cmpuint(((const MsBatchItem *)g_ptr_array_index(found, i))->index, ==, i);
  }
}

static MsBatchItem *
finished_item(void)
{
  MsBatchItem *item = ms_batch_item_new(1, "a.png", "a.png");
  const double times[] = {1.5, 2.5, 4};

  item->output = g_strdup("out/a-2.png");
  item->error = g_strdup("error");
  item->shown = g_strdup("shown");
  item->reason = g_strdup("reason");
  ms_note_add(&item->notes, MS_NOTE_RETRIED, "a.png", "cause");
  item->source.size = 11;
  item->result.size = 12;
  item->result.inode = G_MAXUINT64;
  item->width = 3;
  item->bits = 16;
  item->height = 4;
  item->used.params.sp = 7;
  item->device = g_strdup("device");
  item->rejected = g_strdup("rejected");
  item->profile = g_strdup("profile");
  item->verified = TRUE;
  item->difference = (MsImageDifference){.mismatched_pixels = 5, .max_difference = 6};
  item->log = ms_timing_log_new();
  ms_timing_log_add(item->log, &(MsTiming){MS_STAGE_KERNEL, g_intern_string("kernel"), 21, 22, 23, 24, 25});
  ms_timing_log_add(item->log, &(MsTiming){MS_STAGE_DECODE, NULL, 31, 32, 33, 34, 35});
  g_array_append_vals(item->kernel_ms, times, 2);
  g_array_append_vals(item->filter_ms, times, 3);
  item->summary = g_bytes_new_static("a\0b", 3);
  return item;
}

static void
assert_same_times(const GArray *a, const GArray *b)
{
  g_assert_cmpmem(a->data, a->len * sizeof(double), b->data, b->len * sizeof(double));
}

static void
assert_same_log(MsTimingLog *a, MsTimingLog *b)
{
  g_assert_cmpuint(ms_timing_log_get_length(a), ==, ms_timing_log_get_length(b));
  for (guint i = 0; i < ms_timing_log_get_length(a); i++) {
    const MsTiming *one = ms_timing_log_get(a, i), *other = ms_timing_log_get(b, i);
    g_assert_cmpstr(one->kernel, ==, other->kernel);
    g_assert_cmpint(one->stage, ==, other->stage);
    g_assert_cmpuint(one->queued_ns, ==, other->queued_ns);
    g_assert_cmpuint(one->submitted_ns, ==, other->submitted_ns);
    g_assert_cmpuint(one->started_ns, ==, other->started_ns);
    g_assert_cmpuint(one->ended_ns, ==, other->ended_ns);
    g_assert_cmpuint(one->bytes, ==, other->bytes);
  }
}

/* Tells @found what happens to @sent. */
static void
tell(MsBatchItem *sent, MsBatchEventKind kind, MsBatchItem *found)
{
  MsBatchEvent event = {.kind = kind, .item = sent}, taken = {.item = found};
  g_autoptr(GVariant) message = pass(ms_batch_event_to_message(&event));

  ms_batch_event_take(&taken, message);
  g_assert_cmpint(taken.kind, ==, kind);
  g_assert_cmpuint(taken.seq, ==, 0);
}

static void
assert_same_result(const MsBatchItem *found, const MsBatchItem *sent)
{
  g_assert_cmpint(found->status, ==, sent->status);
  g_assert_cmpstr(found->output, ==, sent->output);
  g_assert_cmpstr(found->error, ==, sent->error);
  g_assert_cmpstr(found->shown, ==, sent->shown);
  g_assert_cmpstr(found->reason, ==, sent->reason);
  g_assert_cmpstr(found->notes, ==, sent->notes);
  g_assert_cmpuint(found->source.size, ==, sent->source.size);
  g_assert_cmpuint(found->result.size, ==, sent->result.size);
  g_assert_cmpuint(found->result.inode, ==, sent->result.inode);
  g_assert_cmpint(found->width, ==, sent->width);
  g_assert_cmpint(found->bits, ==, sent->bits);
  g_assert_cmpint(found->height, ==, sent->height);
  g_assert_cmpint(found->used.params.sp, ==, sent->used.params.sp);
  g_assert_cmpstr(found->device, ==, sent->device);
  g_assert_cmpstr(found->rejected, ==, sent->rejected);
  g_assert_cmpstr(found->profile, ==, sent->profile);
  g_assert_true(found->verified);
  g_assert_cmpuint(found->difference.mismatched_pixels, ==, sent->difference.mismatched_pixels);
  g_assert_cmpint(found->difference.max_difference, ==, sent->difference.max_difference);
  g_assert_true(g_bytes_equal(found->summary, sent->summary));
  assert_same_times(found->kernel_ms, sent->kernel_ms);
  assert_same_times(found->filter_ms, sent->filter_ms);
  assert_same_log(found->log, sent->log);
}

/* A process that dies between the two has told all; what does not change any more is told once. */
static void
test_result(void)
{
  g_autoptr(MsBatchItem) sent = finished_item();
  g_autoptr(MsBatchItem) found = ms_batch_item_new(1, "a.png", "a.png");
  g_autoptr(MsBatchItem) late = ms_batch_item_new(1, "a.png", "a.png");

  tell(sent, MS_BATCH_STARTED, found);
  g_assert_cmpint(found->width, ==, 0);
  tell(sent, MS_BATCH_SAVING, found);
  assert_same_result(found, sent);
  sent->status = MS_ITEM_DONE;
  sent->result.size = 13;
  tell(sent, MS_BATCH_FINISHED, found);
  assert_same_result(found, sent);
  tell(sent, MS_BATCH_SAVING, late);
  tell(sent, MS_BATCH_FINISHED, late);
  g_assert_cmpint(late->width, ==, sent->width);
  late->width = 0;
  tell(sent, MS_BATCH_SAVING, found);
  tell(sent, MS_BATCH_FINISHED, late);
  g_assert_cmpint(late->width, ==, 0);
  tell(sent, MS_BATCH_FINISHED, late);
  assert_same_result(late, sent);
}

/* A result replaces what the item held before. */
static void
test_result_replaces(void)
{
  g_autoptr(MsBatchItem) empty = ms_batch_item_new(1, "a.png", "a.png");
  g_autoptr(MsBatchItem) found = finished_item();

  tell(empty, MS_BATCH_FINISHED, found);
  g_assert_null(found->error);
  g_assert_null(found->summary);
  g_assert_cmpuint(found->kernel_ms->len, ==, 0);
  g_assert_cmpuint(ms_timing_log_get_length(found->log), ==, 0);
}

/* An event as a line of --progress json, and what another program reads of it. */
static void
read_line(MsBatchEvent *event, MsBatchEvent *read)
{
  ms_batch_event_describe(event);
  g_autoptr(JsonNode) line = ms_record_to_node(&ms_batch_event_record, event);
  ms_record_get(&ms_batch_event_record, read, json_node_get_object(line));
}

/* The line has what is told of an item, and nothing of what only the other process needs. */
static void
test_lines(void)
{
  g_autoptr(MsBatchItem) item = finished_item();
  g_auto(MsBatchEvent) finished = {.kind = MS_BATCH_FINISHED, .item = item}, read = {.fraction = 7};
  g_auto(MsBatchEvent) progress = {.kind = MS_BATCH_PROGRESS, .item = item, .fraction = 0.5}, share = {.width = 7};
  g_auto(MsBatchEvent) problem = {.kind = MS_BATCH_PROBLEM, .sentence = "full"}, error = {.seq = 7};

  item->status = MS_ITEM_FAILED;
  read_line(&finished, &read);
  g_assert_cmpint(read.kind, ==, MS_BATCH_FINISHED);
  g_assert_cmpuint(read.seq, ==, 1);
  g_assert_cmpstr(read.input, ==, "a.png");
  g_assert_cmpstr(read.output, ==, "out/a-2.png");
  g_assert_cmpint(read.status, ==, MS_ITEM_FAILED);
  g_assert_cmpstr(read.message, ==, "error");
  g_assert_cmpstr(read.shown, ==, "shown");
  g_assert_cmpint(read.width, ==, 3);
  g_assert_cmpint(read.height, ==, 4);
  g_assert_cmpfloat(read.kernel_ms, ==, 4);
  g_assert_true(isnan(read.fraction));
  read_line(&progress, &share);
  g_assert_cmpint(share.kind, ==, MS_BATCH_PROGRESS);
  g_assert_cmpfloat(share.fraction, ==, 0.5);
  g_assert_cmpint(share.width, ==, 7);
  read_line(&problem, &error);
  g_assert_cmpint(error.kind, ==, MS_BATCH_PROBLEM);
  g_assert_cmpstr(error.shown, ==, "full");
  g_assert_cmpuint(error.seq, ==, 7);
}

/* Clauses on one file are one sentence, names are shown as they are, and what is no note is left out. */
static void
test_notes(void)
{
  g_autofree char *notes = NULL;

  g_assert_null(ms_note_describe(NULL, MS_LANGUAGE_ENGLISH));
  ms_note_add(&notes, MS_NOTE_BITS, "{detail}.png", "16");
  g_assert_true(ms_note_is_only(notes, MS_NOTE_BITS));
  g_assert_false(ms_note_is_only(notes, MS_NOTE_IMAGES));
  ms_note_add(&notes, MS_NOTE_MORE_IMAGES, "{detail}.png", NULL);
  g_assert_false(ms_note_is_only(notes, MS_NOTE_BITS));
  ms_note_add(&notes, MS_NOTE_ICC_DROPPED, "b.ppm", NULL);
  ms_note_add(&notes, MS_NOTE_DAMAGED, "a\x1f.png", "cut {name}");
  g_autofree char *more = g_strconcat(notes, "\x1e", "999\x1f\x1f\x1f", "\x1e", "rubbish", NULL);
  g_autofree char *english = ms_note_describe(more, MS_LANGUAGE_ENGLISH);
  g_assert_cmpstr(english, ==,
                  "'{detail}.png': its 16 bits a sample were reduced to 8; only the first of its images was read. "
                  "'b.ppm': the colour profile could not be kept. 'a .png' is damaged (cut {name}); what could be read "
                  "was kept.");
}

void
ms_test_worker_message(void)
{
  g_test_add_func("/batch/worker-message/jobs", test_jobs);
  g_test_add_func("/batch/worker-message/result", test_result);
  g_test_add_func("/batch/worker-message/result-replaces", test_result_replaces);
  g_test_add_func("/batch/worker-message/lines", test_lines);
  g_test_add_func("/batch/worker-message/notes", test_notes);
}
