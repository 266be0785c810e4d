/* SPDX-License-Identifier: MIT */
#include "core/batch/run/stage-save.h"

#include <glib/gi18n-lib.h>

#include "core/batch/naming.h"
#include "core/batch/run/stage-filter.h"
#include "core/batch/run/stream-spool.h"
#include "core/folder.h"
#include "core/image/file/file-path.h"
#include "core/image/file/pipe-output.h"
#include "core/image/image-drain.h"
#include "core/image/image-save.h"

#define MOST_NUMBERS 100000

/* Writes to standard output, or to the file from which the supervisor writes to a pipe. */
static gboolean
save_to_stream(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, GError **error)
{
  g_autoptr(GBytes) bytes = ms_image_encode(work->result, save, notes, work->cancellable, error);

  if (!bytes)
    return FALSE;
  if (work->item->output_spool > 0)
    return ms_stream_spool_write(work->item->output_spool, bytes, error);
  return ms_pipe_output_write_standard(bytes, work->cancellable, error);
}

/* Whether the existing file has the bytes that would be saved; %FALSE without @error when it has not. */
static gboolean
is_saved_already(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, GError **error)
{
  g_autoptr(GMappedFile) there = g_mapped_file_new(work->item->output, FALSE, NULL);
  g_autoptr(GBytes) wanted = there ? ms_image_encode(work->result, save, notes, work->cancellable, error) : NULL;

  if (!wanted)
    return FALSE;
  g_autoptr(GBytes) content = g_mapped_file_get_bytes(there);
  return g_bytes_equal(content, wanted);
}

/*
 * Accepts an existing file that an earlier run saved without recording it; otherwise the image gets a numbered name if
 * that is allowed.
 */
static gboolean
settle_perhaps_saved(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, gboolean *saved, GError **error)
{
  g_autoptr(GError) failure = NULL;

  *saved = is_saved_already(work, save, notes, &failure);
  work->item->perhaps_saved = FALSE;
  if (!*saved && !failure && !work->item->numbered)
    ms_set_error(&failure, MS_ERROR_EXISTS,
                 "'%s' exists already, is not named in the manifest and differs from this result; choose another "
                 "name, or --on-conflict skip, unique or overwrite.",
                 work->item->output);
  if (!failure)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&failure));
  return FALSE;
}

/* Tries the next number when another process has created the planned output. */
static gboolean
save_to_file(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, GError **error)
{
  g_autofree char *wanted = g_strdup(work->item->output);

  for (guint number = 1;; number++) {
    g_autoptr(GError) failure = NULL;
    if (ms_image_save(work->result, work->item->output, save, notes, work->cancellable, &failure))
      return TRUE;
    if (work->item->perhaps_saved && g_error_matches(failure, MS_ERROR, MS_ERROR_EXISTS)) {
      gboolean saved = FALSE;
      if (!settle_perhaps_saved(work, save, notes, &saved, error))
        return FALSE;
      if (saved)
        return TRUE;
    }
    if (!work->item->numbered || number == MOST_NUMBERS || !g_error_matches(failure, MS_ERROR, MS_ERROR_EXISTS)) {
      g_propagate_error(error, g_steal_pointer(&failure));
      return FALSE;
    }
    g_free(work->item->output);
    work->item->output = ms_naming_numbered(wanted, number);
  }
}

static void
announce(const struct stat *file, gpointer data)
{
  const MsBatchImage *work = data;

  work->hooks->saving(work->item, file, work->hooks->data);
}

/* @other_us: time since the call that was not spent on encoding; read when the file is complete. */
static gboolean
save(MsBatchImage *work, const gint64 *other_us, GError **error)
{
  MsBatchItem *item = work->item;
  MsSaveOptions chosen = work->options->save;
  MsSaveNotes notes = {FALSE};
  gint64 start = g_get_monotonic_time();
  g_autofree char *folder = item->folder_length > 0 ? g_strndup(item->output, item->folder_length) : NULL;

  chosen.format = ms_batch_item_format(item, chosen.format);
  chosen.overwrite = item->overwrite;
  chosen.folder = folder;
  chosen.saves_memory = work->saves_memory;
  chosen.appears = work->hooks->saving ? announce : NULL;
  chosen.appears_data = work;
  if (item->output_spool > 0 || ms_file_path_is_standard(item->output)) {
    if (!save_to_stream(work, &chosen, &notes, error))
      return FALSE;
  } else if ((!folder && !ms_folder_make_parent(item->output, MS_FOLDER_SHARED, error)) ||
             !save_to_file(work, &chosen, &notes, error)) {
    return FALSE;
  } else if (!ms_image_is_stream(item->output)) {
    ms_file_stamp_take(&item->result, item->output, work->options->hash);
  }
  ms_timing_log_add_host(item->log, MS_STAGE_ENCODE, NULL, ms_image_get_byte_size(work->result),
                         start + (other_us ? *other_us : 0));
  for (MsLanguage language = 0; language < MS_N_LANGUAGES; language++)
    ms_batch_item_add_note(item, language, ms_save_notes_describe(&notes, item->output, language));
  return TRUE;
}

/** ms_stage_save: writes the result to the item's output, which appears only when it is complete. */
gboolean
ms_stage_save(MsBatchImage *work, GError **error)
{
  return save(work, NULL, error);
}

/* Filters all rows of an image that is not saved. */
static gboolean
take_rows(MsBatchImage *work, GError **error)
{
  for (int y = 0; y < work->item->height; y++) {
    if (!ms_image_hold_rows(work->result, y, 1, error))
      return FALSE;
    ms_image_drop_rows(work->result, y + 1);
  }
  return TRUE;
}

/* The parameters of the function that is called for each band. */
typedef struct {
  MsBatchImage *work;
  MsEngine *engine;
} BandCheck;

static gboolean
check_band(MsImage *source, MsImage *result, const MsStreamedBand *band, gpointer data, GError **error)
{
  const BandCheck *check = data;
  const MsRunnerHooks *hooks = check->work->hooks;
  const MsInspection rows = {check->work->item, source, result, band->region.y, check->engine};

  if (hooks->inspect && !hooks->inspect(&rows, hooks->data, error))
    return FALSE;
  return !check->work->options->verify || ms_stage_verify_band(check->work, band, result, error);
}

/**
 * ms_stage_stream:
 * @engine: with which no other thread works
 * @progress: (nullable): called with rows done and rows in all
 *
 * Filters, verifies and saves an image that exceeds the memory: the encoder takes rows, which are decoded and filtered
 * in bands.
 *
 * Returns: %FALSE with the errors of the other stages
 */
gboolean
ms_stage_stream(MsBatchImage *work, MsEngine *engine, MsProgressFunc progress, gpointer progress_data, GError **error)
{
  MsBatchItem *item = work->item;
  BandCheck check = {work, engine};
  MsStreamedRun run = {.engine = engine,
                       .settings = &work->options->settings,
                       .repeat = work->options->repeat,
                       .progress = progress,
                       .progress_data = progress_data,
                       .cancellable = work->cancellable,
                       .log = item->log,
                       .kernel_ms = item->kernel_ms,
                       .filter_ms = item->filter_ms,
                       .used = work->options->settings,
                       .verifies = work->options->verify,
                       .inspect = work->hooks->inspect || work->options->verify ? check_band : NULL,
                       .inspect_data = &check};

  work->result = ms_streamed_result_new(&work->file, &run, error);
  gboolean good = work->result && (item->output ? save(work, &run.feed_us, error) : take_rows(work, error));
  g_clear_object(&work->result);
  ms_batch_item_note_damage(item, work->name, run.damage);
  g_free(run.damage);
  item->used = run.used;
  g_free(item->rejected);
  item->rejected = run.rejected;
  g_free(item->device);
  item->device = g_strdup(ms_engine_describe(engine).name);
  return good;
}
