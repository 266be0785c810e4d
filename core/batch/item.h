/* SPDX-License-Identifier: MIT */
/* MsBatchItem: one image of a batch: its input, its output and its result. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

#include "core/engine/engine.h"
#include "core/image/file/file-path.h"
#include "core/note.h"

/**
 * MsFileStamp:
 * @known: whether there was a regular file; the other fields are 0 where there was none
 * @size: bytes
 * @modified, @modified_ns: time of the last change: seconds since 1970 and nanoseconds, which are -1 where not known
 * @inode: number in its file system, which a file keeps when it gets another name
 * @hash: SHA-256 of the content in hexadecimal digits; empty where it was not asked for
 */
typedef struct {
  gboolean known;
  guint64 size;
  gint64 modified;
  int modified_ns;
  guint64 inode;
  char hash[65];
} MsFileStamp;

/** MsStampParts: what besides its size tells that a file is the same; flags. */
typedef enum {
  MS_STAMP_TIME = 1 << 0,
  MS_STAMP_INODE = 1 << 1,
  MS_STAMP_HASH = 1 << 2,
} MsStampParts;

void ms_file_stamp_set(MsFileStamp *self, const struct stat *info);
void ms_file_stamp_take(MsFileStamp *self, const char *path, gboolean with_hash);
void ms_file_stamp_take_open(MsFileStamp *self, int fd, gboolean with_hash);
gboolean ms_file_stamp_is_at(const MsFileStamp *self, const char *path, MsStampParts parts);

/**
 * MsItemStatus:
 * @MS_ITEM_PENDING: not done yet, or left undone by an interruption
 * @MS_ITEM_DONE: filtered, and saved where it has an output
 * @MS_ITEM_FAILED: see the item's error; nothing was saved
 * @MS_ITEM_SKIPPED: there was nothing to do; see the item's reason
 */
typedef enum {
  MS_ITEM_PENDING,
  MS_ITEM_DONE,
  MS_ITEM_FAILED,
  MS_ITEM_SKIPPED,
} MsItemStatus;

/** ms_item_status_names: %NULL-terminated: as reports spell them. */
extern const char *const ms_item_status_names[];

/**
 * MsBatchItem:
 * @seq: number in the whole list, from 1, the same in every shard
 * @input: path, or "-"
 * @relative: see #MsInput
 * @output: (nullable): path, "-", or %NULL when nothing is saved
 * @input_is_stream: @input was named itself and was a pipe or device when the batch was planned; no other is read
 * @output_is_stream: the same of @output
 * @folder_length: bytes of @output that name the output folder; 0 where the file was named itself
 * @folder: that folder as it was when the batch began, zeros where that is unknown
 * @follow_links: whether links below that folder are followed
 * @overwrite: whether a file at @output may be replaced
 * @skip_existing: skip this item when another process creates @output first
 * @numbered: whether a number is appended to the name when another process creates @output first
 * @shortened: @output lacks a part of the input's name, which would have been too long
 * @has_told: in a worker, whether it has sent what filtering found out
 * @input_spool: in a worker, the descriptor of a file with the bytes of an @input that is a pipe; else 0
 * @output_spool: in a worker, the descriptor of a file for the bytes of an @output that is a pipe; else 0
 * @index: in a worker, its place among the items of the request
 * @in_work: in a supervisor, whether a worker decodes, filters or saves it
 * @is_saving: the same, whether @result is the file that is about to get its name
 * @death: (nullable): the same, how a worker ended that had it in work
 * @error: (nullable): why it failed, in English, as manifests and reports say it
 * @shown: (nullable): the same in the user's language
 * @reason: (nullable): why it was skipped
 * @notes: (nullable): data of the input which the output lacks, and what else happened: see ms_note_describe()
 * @source: the input as it was before it was read, or unknown
 * @result: the output as it was saved, or is complete while it has no name yet, or unknown
 * @used: the settings as the plan resolved them; before it is filtered, those asked for
 * @device: (nullable): the device that filtered it
 * @bits: a sample of the input, of which more than 8 are reduced to 8; 0 before its header is read
 * @log: (nullable): decode, build, upload, kernel, download and encode rows
 * @kernel_ms: (element-type double): the kernels' time of each repeat, summed over devices
 * @filter_ms: (element-type double): wall time of each repeat, first upload to last download
 * @rejected: (nullable): why `auto` did not take faster kernels
 * @profile: (nullable): the colour profile by which it was converted to the space in which it was filtered; see
 *   ms_space_dup_profile()
 * @summary: (nullable): what the runner's @inspect hook computed, as bytes that a worker sends to its supervisor
 */
typedef struct {
  guint64 seq;
  char *input;
  char *relative;
  char *output;
  gboolean input_is_stream;
  gboolean output_is_stream;
  gsize folder_length;
  MsFileId folder;
  gboolean follow_links;
  gboolean overwrite;
  gboolean skip_existing;
  gboolean numbered;
  gboolean shortened;
  gboolean has_told;
  int input_spool;
  int output_spool;
  guint index;
  gboolean in_work;
  gboolean is_saving;
  char *death;
  MsItemStatus status;
  char *error;
  char *shown;
  char *reason;
  char *notes;
  MsFileStamp source;
  MsFileStamp result;
  int width;
  int height;
  int bits;
  MsSettings used;
  char *device;
  MsTimingLog *log;
  GArray *kernel_ms;
  GArray *filter_ms;
  char *rejected;
  char *profile;
  gboolean verified;
  MsImageDifference difference;
  GBytes *summary;
} MsBatchItem;

MsBatchItem *ms_batch_item_new(guint64 seq, const char *input, const char *relative);
char *ms_batch_item_input_name(const MsBatchItem *self);
void ms_batch_item_free(MsBatchItem *self);
void ms_batch_item_fail(MsBatchItem *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
void ms_batch_item_fail_with(MsBatchItem *self, const GError *error);
void ms_batch_item_note_name(MsBatchItem *self);
void ms_batch_item_take_job(MsBatchItem *self, MsJob *job, guint repeat, guint n_repeats);
void ms_batch_item_skip(MsBatchItem *self, const char *reason);
void ms_batch_item_forget_results(MsBatchItem *self);
gboolean ms_batch_item_differs(const MsBatchItem *self);
const char *ms_item_status_name(MsItemStatus status);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsBatchItem, ms_batch_item_free)

/** MsBatchCounts: how many items ended how; @different: failed because they differ from the reference. */
typedef struct {
  guint pending;
  guint done;
  guint failed;
  guint skipped;
  guint different;
} MsBatchCounts;

MsBatchCounts ms_batch_count(GPtrArray *items);
