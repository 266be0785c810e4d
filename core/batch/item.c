/* SPDX-License-Identifier: MIT */
#include "core/batch/item.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/text.h"

#define BUFFER_SIZE (256 << 10)

/* Leaves @hash empty when the file cannot be read, so that it counts as changed. */
static void
hash_content(int fd, char hash[65])
{
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree guchar *buffer = g_malloc(BUFFER_SIZE);
  gssize n;

  while ((n = read(fd, buffer, BUFFER_SIZE)) > 0)
    g_checksum_update(checksum, buffer, n);
  if (n == 0)
    g_strlcpy(hash, g_checksum_get_string(checksum), 65);
}

/** ms_file_stamp_set: @info: of a file whose content is not hashed */
void
ms_file_stamp_set(MsFileStamp *self, const struct stat *info)
{
  *self = (MsFileStamp){.known = S_ISREG(info->st_mode)};
  if (!self->known)
    return;
  self->size = (guint64)info->st_size;
  self->modified = info->st_mtim.tv_sec;
  self->modified_ns = (int)info->st_mtim.tv_nsec;
  self->inode = info->st_ino;
}

/**
 * ms_file_stamp_take_open:
 * @self: (out)
 * @fd: at the start of the file
 * @with_hash: whether the content is read for @hash, which takes about as long as decoding a small image
 */
void
ms_file_stamp_take_open(MsFileStamp *self, int fd, gboolean with_hash)
{
  struct stat info = {0};

  (void)fstat(fd, &info);
  ms_file_stamp_set(self, &info);
  if (self->known && with_hash)
    hash_content(fd, self->hash);
}

/** ms_file_stamp_take: ms_file_stamp_take_open() for the file at @path; links are followed. */
void
ms_file_stamp_take(MsFileStamp *self, const char *path, gboolean with_hash)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {0};

  if (fd >= 0) {
    ms_file_stamp_take_open(self, fd, with_hash);
    close(fd);
  } else {
    (void)stat(path, &info);
    ms_file_stamp_set(self, &info);
  }
}

/**
 * ms_file_stamp_is_at: whether @path leads to a file of the size of @self, or of any but 0 where that is not known, and
 * with the @parts of it. The number of its device is not compared, since machines that share a file system give it
 * different ones.
 */
gboolean
ms_file_stamp_is_at(const MsFileStamp *self, const char *path, MsStampParts parts)
{
  MsFileStamp now;

  ms_file_stamp_take(&now, path, parts & MS_STAMP_HASH);
  if (!self->known || !now.known || (self->size == 0 ? now.size == 0 : now.size != self->size))
    return FALSE;
  return (!(parts & MS_STAMP_TIME) ||
          (now.modified == self->modified && (self->modified_ns < 0 || now.modified_ns == self->modified_ns))) &&
         (!(parts & MS_STAMP_INODE) || now.inode == self->inode) &&
         (!(parts & MS_STAMP_HASH) || (self->hash[0] && strcmp(now.hash, self->hash) == 0));
}

/** ms_batch_item_new: (transfer full): a pending item without an output. */
MsBatchItem *
ms_batch_item_new(guint64 seq, const char *input, const char *relative)
{
  MsBatchItem *self = g_new0(MsBatchItem, 1);

  self->seq = seq;
  self->input = g_strdup(input);
  self->relative = g_strdup(relative);
  self->used = ms_settings_default();
  self->kernel_ms = g_array_new(FALSE, FALSE, sizeof(double));
  self->filter_ms = g_array_new(FALSE, FALSE, sizeof(double));
  return self;
}

void
ms_batch_item_free(MsBatchItem *self)
{
  if (!self)
    return;
  ms_batch_item_forget_results(self);
  g_array_unref(self->kernel_ms);
  g_array_unref(self->filter_ms);
  g_free(self->death);
  g_free(self->rejected);
  g_free(self->profile);
  g_free(self->device);
  g_free(self->notes);
  g_free(self->reason);
  g_free(self->shown);
  g_free(self->error);
  g_free(self->output);
  g_free(self->relative);
  g_free(self->input);
  g_free(self);
}

/** ms_batch_item_input_name: (transfer full): the input as messages name it. */
char *
ms_batch_item_input_name(const MsBatchItem *self)
{
  return ms_file_path_is_standard(self->input) ? g_strdup("standard input") : ms_printable(self->input, "");
}

/**
 * ms_batch_item_fail_with: marks the item as failed with the message of @error, and with its English one for manifests
 * and reports. The first error is kept; names in it are made printable, and a build log keeps its lines.
 */
void
ms_batch_item_fail_with(MsBatchItem *self, const GError *error)
{
  const char *keep = g_error_matches(error, MS_ERROR, MS_ERROR_BUILD) ? "\n\t" : "";
  g_autofree char *english = ms_error_dup_english(error);

  self->status = MS_ITEM_FAILED;
  if (self->error)
    return;
  self->error = ms_printable(english, keep);
  self->shown = ms_printable(error->message, keep);
}

/** ms_batch_item_fail: ms_batch_item_fail_with() with a sentence in English, which is looked up. */
void
ms_batch_item_fail(MsBatchItem *self, const char *format, ...)
{
  g_autoptr(GError) error = NULL;
  va_list args;

  va_start(args, format);
  ms_set_error_va(&error, MS_ERROR_IO, format, args);
  va_end(args);
  ms_batch_item_fail_with(self, error);
}

/** ms_batch_item_note_name: notes that the name of the output was too long, where it was. */
void
ms_batch_item_note_name(MsBatchItem *self)
{
  if (!self->shortened)
    return;
  g_autofree char *base = g_path_get_basename(self->output ? self->output : "");
  g_autofree char *name = ms_printable(base, "");
  ms_note_add(&self->notes, MS_NOTE_SHORTENED, name, NULL);
}

/* Adds the time of a part to that of the image, of which each repeat has one. */
static void
add_time(GArray *times, guint repeat, double ms)
{
  if (repeat >= times->len)
    g_array_append_val(times, ms);
  else
    g_array_index(times, double, repeat) += ms; /* NAN stays, since what is unknown in part is unknown */
}

/**
 * ms_batch_item_take_job: takes what the engine reported about the image or a band of it.
 * @job: (inout): with a log, whose rows are kept of the last repeat
 * @repeat: which of @n_repeats, from 0 on
 */
void
ms_batch_item_take_job(MsBatchItem *self, MsJob *job, guint repeat, guint n_repeats)
{
  g_free(self->rejected);
  self->rejected = g_steal_pointer(&job->rejected);
  self->used = job->used;
  add_time(self->kernel_ms, repeat, ms_timing_log_total_ms(job->log, MS_STAGE_KERNEL));
  add_time(self->filter_ms, repeat, ms_timing_log_get_filter_ms(job->log));
  if (repeat + 1 == n_repeats)
    ms_timing_log_append(self->log, job->log);
}

void
ms_batch_item_skip(MsBatchItem *self, const char *reason)
{
  self->status = MS_ITEM_SKIPPED;
  g_free(self->reason);
  self->reason = g_strdup(reason);
}

/**
 * ms_batch_item_forget_results: frees timings and summaries once they are reported; a batch may have very many items.
 */
void
ms_batch_item_forget_results(MsBatchItem *self)
{
  g_clear_pointer(&self->log, ms_timing_log_unref);
  g_clear_pointer(&self->summary, g_bytes_unref);
}

/** ms_batch_item_differs: whether the result was compared with the reference and differs. */
gboolean
ms_batch_item_differs(const MsBatchItem *self)
{
  return self->verified && self->difference.mismatched_pixels > 0;
}

const char *const ms_item_status_names[] = {"pending", "done", "failed", "skipped", NULL};

/** ms_item_status_name: the word that reports use. */
const char *
ms_item_status_name(MsItemStatus status)
{
  return ms_item_status_names[status];
}

/** ms_batch_count: @items: (element-type MsBatchItem). */
MsBatchCounts
ms_batch_count(GPtrArray *items)
{
  MsBatchCounts counts = {0};

  for (guint i = 0; i < items->len; i++) {
    const MsBatchItem *item = g_ptr_array_index(items, i);
    counts.pending += item->status == MS_ITEM_PENDING;
    counts.done += item->status == MS_ITEM_DONE;
    counts.failed += item->status == MS_ITEM_FAILED;
    counts.skipped += item->status == MS_ITEM_SKIPPED;
    counts.different += ms_batch_item_differs(item);
  }
  return counts;
}
