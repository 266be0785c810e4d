/* SPDX-License-Identifier: MIT */
#include "core/batch/saving.h"

#include "core/batch/naming.h"
#include "core/batch/stream-spool.h"
#include "core/error.h"
#include "core/folder.h"
#include "core/image/common/losses.h"
#include "core/image/file/pipe-output.h"

#define MOST_NUMBERS 100000

/*
 * Records the complete file before it gets its name, so that a run that is killed in between leaves no result that the
 * next one does not know.
 */
static gboolean
announce(const struct stat *file, gpointer data, GError **error)
{
  const MsSaving *self = data;
  const MsBatchImage *work = self->work;
  const MsBatchRequest *request = work->request;

  ms_file_stamp_set(&work->item->result, file);
  if (request->manifest && !ms_manifest_announce(request->manifest, work->item, request, error))
    return FALSE;
  ms_batch_run_tell(work->run, &(MsBatchEvent){.kind = MS_BATCH_SAVING, .item = work->item});
  return TRUE;
}

/** ms_saving_options: how the result of @work is encoded; the memory that this takes depends on it. */
MsSaveOptions
ms_saving_options(const MsBatchImage *work)
{
  MsSaveOptions options = work->request->save;

  options.format = ms_batch_item_format(work->item, options.format);
  options.threads = work->run->encoder_threads;
  options.saves_memory = work->saves_memory;
  return options;
}

/** ms_saving_init: @self: stays where it is until it is cleared; @work: whose item has an output */
void
ms_saving_init(MsSaving *self, MsBatchImage *work)
{
  const MsBatchItem *item = work->item;

  *self = (MsSaving){.work = work, .options = ms_saving_options(work), .wanted = g_strdup(item->output)};
  self->folder = item->folder_length > 0 ? g_strndup(item->output, item->folder_length) : NULL;
  self->place = (MsAtomicPlace){self->folder, item->folder, item->follow_links};
  self->options.overwrite = item->overwrite;
  self->options.place = self->folder ? &self->place : NULL;
  self->options.appears = announce;
  self->options.appears_data = self;
}

/** ms_saving_clear: unless the file is complete, nothing of it remains. */
void
ms_saving_clear(MsSaving *self)
{
  g_clear_pointer(&self->writer, ms_image_writer_free);
  g_free(self->folder);
  g_free(self->wanted);
}

/* Goes on to the next number where another process has the name; %FALSE where that is not so or not allowed. */
static gboolean
take_next_name(MsSaving *self, GError **failure, GError **error)
{
  MsBatchItem *item = self->work->item;

  self->number++;
  if (!item->numbered || self->number > MOST_NUMBERS || !g_error_matches(*failure, MS_ERROR, MS_ERROR_EXISTS)) {
    g_propagate_error(error, g_steal_pointer(failure));
    return FALSE;
  }
  g_clear_error(failure);
  g_free(item->output);
  item->output = ms_naming_numbered(self->wanted, self->number);
  return TRUE;
}

/** ms_saving_begin: begins a file; @frame: of the result */
gboolean
ms_saving_begin(MsSaving *self, const MsImageFrame *frame, GError **error)
{
  MsBatchImage *work = self->work;
  g_autoptr(GError) failure = NULL;

  if (!self->folder && !ms_folder_make_parent(work->item->output, MS_FOLDER_SHARED, error))
    return FALSE;
  do
    self->writer = ms_image_writer_new(work->item->output, frame, &self->options, work->run->cancellable, &failure);
  while (!self->writer && take_next_name(self, &failure, error));
  return self->writer != NULL;
}

/** ms_saving_rows: encodes the next rows. */
gboolean
ms_saving_rows(MsSaving *self, MsImage *rows, GError **error)
{
  const gint64 start = g_get_monotonic_time();
  const gboolean good = ms_image_writer_rows(self->writer, rows, error);

  self->us += g_get_monotonic_time() - start;
  return good;
}

/* Completes the file; where another process has taken its name meanwhile, it gets the next number if it may. */
static gboolean
end_file(MsSaving *self, GError **error)
{
  MsBatchItem *item = self->work->item;
  g_autoptr(GError) failure = NULL;

  if (ms_image_writer_end(self->writer, &failure))
    return TRUE;
  while (take_next_name(self, &failure, error))
    if (ms_image_writer_rename(self->writer, item->output, &failure))
      return TRUE;
  return FALSE;
}

/* Notes what the output lacks, and the time of the encoder. */
static void
note_saved(const MsSaving *self, const MsSaveNotes *notes)
{
  MsBatchItem *item = self->work->item;
  const guint64 bytes = (guint64)item->width * (guint64)item->height * 4;

  ms_timing_log_add_host(item->log, MS_STAGE_ENCODE, NULL, bytes, g_get_monotonic_time() - self->us);
  ms_batch_item_note_name(item);
  ms_losses_note(&item->notes, NULL, notes, item->output);
}

/** ms_saving_end: completes the file. */
gboolean
ms_saving_end(MsSaving *self, GError **error)
{
  MsBatchItem *item = self->work->item;
  const gint64 start = g_get_monotonic_time();

  if (!end_file(self, error))
    return FALSE;
  self->us += g_get_monotonic_time() - start;
  if (!item->output_is_stream)
    ms_file_stamp_take(&item->result, item->output, self->work->request->resume == MS_RESUME_HASH);
  note_saved(self, &self->writer->notes);
  return TRUE;
}

/** ms_saving_to_stream: writes the result to standard output, or the file from which the supervisor fills a pipe. */
gboolean
ms_saving_to_stream(MsSaving *self, GError **error)
{
  MsBatchImage *work = self->work;
  const gint64 start = g_get_monotonic_time();
  MsSaveNotes notes = {FALSE};
  g_autoptr(GBytes) bytes = ms_image_encode(work->result, &self->options, &notes, work->run->cancellable, error);

  if (!bytes || !(work->item->output_spool > 0
                    ? ms_stream_spool_write(work->item->output_spool, bytes, error)
                    : ms_pipe_output_write_standard(bytes, &work->request->limits.wait, work->run->cancellable, error)))
    return FALSE;
  self->us = g_get_monotonic_time() - start;
  note_saved(self, &notes);
  return TRUE;
}
