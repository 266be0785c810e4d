/* SPDX-License-Identifier: MIT */
#include "core/batch/stages.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/batch/naming.h"
#include "core/batch/process/memory-cap.h"
#include "core/folder.h"
#include "core/image/codec.h"
#include "core/image/file/file-path.h"
#include "core/image/file/pipe-output.h"
#include "core/image/image-save.h"
#include "core/image/stream/row-file.h"
#include "core/printable.h"

#define MOST_NUMBERS 100000
#define BYTES_PER_PIXEL 4
#define SMALL_FILE (1 << 20)

void
ms_batch_image_free(MsBatchImage *self)
{
  if (!self)
    return;
  g_clear_pointer(&self->content, g_bytes_unref);
  g_clear_object(&self->source);
  g_clear_object(&self->result);
  ms_streamed_file_clear(&self->file);
  g_free(self->name);
  g_free(self);
}

/*
 * The most memory that an image takes in flight: with the coefficients of a progressive JPEG file or its result; or the
 * result alone with the filtered rows of a PNG file and their compressed bytes; and the reference's result.
 */
static guint64
bytes_in_flight(guint64 width, guint64 height, gboolean verify)
{
  return width * height * BYTES_PER_PIXEL * (verify ? 4 : 3);
}

static char *
input_name(const MsBatchItem *item)
{
  return ms_file_path_is_standard(item->input) ? g_strdup("standard input") : ms_printable(item->input, "");
}

/* Reads the header of a file, or a pipe's whole content, which cannot be read twice. */
static gboolean
read_header(MsBatchImage *work, const MsRunnerOptions *options, MsImageHeader *header, GCancellable *cancellable,
            GError **error)
{
  const char *input = work->item->input;
  g_autofree char *name = input_name(work->item);
  /* Files of up to SMALL_FILE bytes are read under any limit, because the refusal states the memory that they need. */
  guint64 most = options->memory_limit ? MAX(options->memory, MIN(options->memory_limit, SMALL_FILE)) : 0;

  if (!ms_file_path_is_standard(input) && !ms_image_is_stream(input))
    return ms_image_peek_size(input, &options->limits, header, error);
  if (ms_file_path_is_standard(input))
    work->content = ms_image_drain_fd(STDIN_FILENO, name, &options->limits, most, cancellable, error);
  else
    work->content = ms_image_drain(input, &options->limits, most, cancellable, error);
  return work->content && ms_image_peek_bytes(work->content, name, &options->limits, header, error);
}

/* Why the image is needed as a whole, as the end of a sentence; %NULL where it may be filtered in bands. */
static const char *
why_whole(const MsBatchImage *work, const MsRunnerOptions *options, const MsCodec *codec)
{
  if (options->settings.params.levels > 0)
    return N_("--levels needs the whole image");
  if (options->verify)
    return N_("--verify needs the whole image");
  if (options->whole_images)
    return N_("several devices, statistics and histograms need the whole image");
  if (!work->item->output || ms_file_path_is_standard(work->item->output) || ms_image_is_stream(work->item->output))
    return N_("only a file is written by rows");
  return codec->write_bytes ? NULL : N_("the format of the output is not written by rows");
}

/* The smallest limit under which images may take @bytes. */
static guint64
mebibytes_needed(const MsRunnerOptions *options, guint64 bytes)
{
  return (ms_memory_cap_needed(bytes, options->memory_runtime) >> 20) + 1;
}

static void
add_note(MsBatchItem *item, const char *sentence)
{
  char *note = item->note ? g_strdup_printf("%s %s", item->note, sentence) : g_strdup(sentence);

  g_free(item->note);
  item->note = note;
}

/*
 * Checks that the file can be read by rows, or else prepares temporary files for its pixels and says so; %FALSE with
 * the reason where neither is possible. @bytes: (out): working memory of the decoder.
 */
static gboolean
settle_reading(MsBatchImage *work, const MsRunnerOptions *options, const MsImageHeader *header, guint64 *bytes,
               GError **error)
{
  MsStreamedFile *file = &work->file;
  g_autoptr(GError) reason = NULL;
  g_autoptr(MsRowFile) rows = ms_row_file_open(file->path, file->content, file->name, file->limits, NULL, &reason);

  if (rows) {
    *bytes = ms_row_file_get_reader(rows)->bytes;
    return TRUE;
  }
  if (options->scratch && ms_codec_get(header->format)->open_rows &&
      g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED)) {
    g_autofree char *note =
      g_strdup_printf("%s Its pixels are put into a temporary file in '%s'.", reason->message, options->scratch);
    add_note(work->item, note);
    file->scratch = ms_scratch_file_new(options->scratch, work->name);
    *bytes = 2 * MS_SCRATCH_STEP;
    return TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

/* Plans bands for an image that exceeds the memory; %FALSE with the reason where it cannot be filtered in bands. */
static gboolean
plan_stream(MsBatchImage *work, const MsRunnerOptions *options, const MsImageHeader *header, GError **error)
{
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(work->item, options->save.format));
  const char *why = why_whole(work, options, codec);
  MsStreamRequest request = {
    .width = header->width, .height = header->height, .params = options->settings.params, .memory = options->memory};
  MsStreamedFile *file = &work->file;

  if (why) {
    ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, why);
    return FALSE;
  }
  *file = (MsStreamedFile){
    .path = work->item->input, .name = work->name, .content = work->content, .limits = &options->limits};
  guint64 reading = 0;
  if (!settle_reading(work, options, header, &reading, error))
    return FALSE;
  request.codec_bytes = codec->write_bytes(header->width, header->height, options->save.threads) + reading +
                        (work->content ? g_bytes_get_size(work->content) : 0);
  file->plan = ms_stream_plan(&request);
  if (file->plan.band_rows == 0) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "by bands of rows it needs %" PRIu64 " MiB",
                 mebibytes_needed(options, file->plan.bytes));
    return FALSE;
  }
  return TRUE;
}

#define TOO_LARGE                                                                                                      \
  N_("'%s' has %dx%d pixels and needs %" PRIu64 " MiB, more than --memory-limit allows (%s); raise the limit.")

static void
set_memory_error(const MsBatchImage *work, const MsRunnerOptions *options, const MsImageHeader *header,
                 const GError *reason, GError **error)
{
  g_autofree char *english = ms_error_dup_english(reason);
  guint64 mib = mebibytes_needed(options, work->bytes);

  ms_error_take(error, MS_ERROR_TOO_LARGE,
                g_strdup_printf(_(TOO_LARGE), work->name, header->width, header->height, mib, reason->message),
                g_strdup_printf(TOO_LARGE, work->name, header->width, header->height, mib, english));
}

/*
 * Decides whether the image is filtered in bands: where it exceeds the memory and that is possible. Otherwise it is
 * refused if the user set the limit, and loaded alone if not.
 */
static gboolean
settle_memory(MsBatchImage *work, const MsRunnerOptions *options, const MsImageHeader *header, GError **error)
{
  g_autoptr(GError) reason = NULL;

  if (work->bytes <= options->memory)
    return TRUE;
  work->is_streamed = plan_stream(work, options, header, &reason);
  if (work->is_streamed)
    work->bytes = work->file.plan.bytes;
  if (work->is_streamed || (g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED) && options->memory_limit == 0))
    return TRUE;
  if (g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED))
    set_memory_error(work, options, header, reason, error);
  else
    g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

/* Checks before filtering that the output's format can store the image. */
static gboolean
check_format(const MsBatchImage *work, const MsRunnerOptions *options, const MsImageHeader *header, GError **error)
{
  g_autofree char *name = input_name(work->item);

  if (!work->item->output)
    return TRUE;
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(work->item, options->save.format));
  return ms_codec_check_built(codec, work->item->output, error) &&
         ms_codec_check_sides(codec, name, header->width, header->height, error);
}

/** ms_stage_measure: reads the header, and a pipe as a whole, and refuses images that cannot be loaded or saved. */
gboolean
ms_stage_measure(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error)
{
  MsImageHeader header;

  g_free(work->name);
  work->name = input_name(work->item);
  if (!ms_file_path_is_standard(work->item->input) && !ms_image_is_stream(work->item->input))
    ms_file_stamp_take(&work->item->source, work->item->input, options->hash);
  if (!read_header(work, options, &header, cancellable, error))
    return FALSE;
  g_free(work->item->note);
  work->item->note = ms_image_header_describe_losses(&header, work->name);
  work->bytes = bytes_in_flight((guint64)header.width, (guint64)header.height, options->verify);
  if (work->content)
    work->bytes += g_bytes_get_size(work->content);
  return check_format(work, options, &header, error) && settle_memory(work, options, &header, error);
}

static MsImage *
load(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error)
{
  g_autofree char *name = input_name(work->item);

  if (!work->content)
    return ms_image_load(work->item->input, &options->limits, cancellable, error);
  return ms_image_load_bytes(work->content, name, &options->limits, cancellable, error);
}

/** ms_stage_decode: loads the image of the item, or inspects the file of one that is streamed. */
gboolean
ms_stage_decode(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error)
{
  MsBatchItem *item = work->item;
  gint64 start = g_get_monotonic_time();

  if (work->is_streamed) {
    g_clear_object(&item->log);
    item->log = ms_timing_log_new();
    if (!ms_streamed_file_inspect(&work->file, cancellable, error))
      return FALSE;
    item->width = work->file.width;
    item->height = work->file.height;
    if (work->file.image)
      ms_timing_log_add_host(item->log, MS_STAGE_DECODE, NULL, ms_image_get_byte_size(work->file.image), start);
    return TRUE;
  }
  work->source = load(work, options, cancellable, error);
  g_clear_pointer(&work->content, g_bytes_unref);
  if (!work->source)
    return FALSE;
  item->width = ms_image_get_width(work->source);
  item->height = ms_image_get_height(work->source);
  item->log = ms_timing_log_new();
  ms_timing_log_add_host(item->log, MS_STAGE_DECODE, NULL, ms_image_get_byte_size(work->source), start);
  return TRUE;
}

/* Keeps the rows of the last repeat, and the build rows of the first, which alone builds. */
static void
keep_build_rows(MsTimingLog *into, MsTimingLog *run)
{
  g_autoptr(MsTimingLog) builds = ms_timing_log_new();

  for (guint i = 0; i < ms_timing_log_get_length(run); i++) {
    const MsTiming *row = ms_timing_log_get(run, i);
    if (row->stage == MS_STAGE_BUILD)
      ms_timing_log_add(builds, row);
  }
  ms_timing_log_append(into, builds);
}

static gboolean
filter_once(MsBatchImage *work, const MsRunnerOptions *options, MsEngine *engine, gboolean last,
            GCancellable *cancellable, GError **error)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsEngineRun run = {.log = log};
  g_autoptr(MsImage) result = ms_engine_run(engine, work->source, &options->settings, &run, cancellable, error);
  double kernel_ms, filter_ms;

  g_free(work->item->rejected);
  work->item->rejected = g_steal_pointer(&run.rejected);
  ms_engine_run_clear(&run);
  if (!result)
    return FALSE;
  work->item->used = run.used;
  g_free(work->item->device);
  work->item->device = g_strdup(ms_engine_describe(engine).name);
  kernel_ms = ms_timing_log_total_ms(log, MS_STAGE_KERNEL);
  g_array_append_val(work->item->kernel_ms, kernel_ms);
  filter_ms = ms_timing_log_get_filter_ms(log);
  g_array_append_val(work->item->filter_ms, filter_ms);
  if (last)
    ms_timing_log_append(work->item->log, log);
  else
    keep_build_rows(work->item->log, log);
  g_set_object(&work->result, result);
  return TRUE;
}

/** ms_stage_filter: runs the engine as often as the options say and keeps the last result. */
gboolean
ms_stage_filter(MsBatchImage *work, const MsRunnerOptions *options, MsEngine *engine, GCancellable *cancellable,
                GError **error)
{
  for (guint i = 0; i < options->repeat; i++) {
    g_clear_object(&work->result);
    if (!filter_once(work, options, engine, i + 1 == options->repeat, cancellable, error)) {
      g_autofree char *name = input_name(work->item);
      g_prefix_error(error, "'%s': ", name);
      return FALSE;
    }
  }
  return TRUE;
}

/**
 * ms_stage_verify: compares with the serial reference; %FALSE with #MS_ERROR_MISMATCH, and the differences in the item.
 */
gboolean
ms_stage_verify(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error)
{
  MsBatchItem *item = work->item;
  g_autoptr(MsImage) expected =
    ms_reference_run(work->source, &options->settings.params, NULL, NULL, NULL, cancellable, error);

  if (!expected)
    return FALSE;
  item->difference = ms_image_compare(expected, work->result);
  item->verified = TRUE;
  if (item->difference.mismatched_pixels == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_MISMATCH,
               "'%s' differs from the reference in %" PRIu64 " of %" PRIu64
               " pixels, by up to %d levels; it is not saved.",
               item->input, item->difference.mismatched_pixels, (guint64)item->width * item->height,
               item->difference.max_difference);
  return FALSE;
}

static gboolean
save_to_stdout(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, GCancellable *cancellable,
               GError **error)
{
  g_autoptr(GBytes) bytes = ms_image_encode(work->result, save, notes, cancellable, error);
  gsize size = 0;

  if (!bytes)
    return FALSE;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  int code = ms_pipe_output_write(STDOUT_FILENO, data, size, cancellable, error);
  if (code != 0 && code != ECANCELED)
    ms_set_error(error, MS_ERROR_IO, "Standard output cannot be written to: %s.", g_strerror(code));
  return code == 0;
}

/* Whether the existing file has the bytes that would be saved; %FALSE without @error when it has not. */
static gboolean
is_saved_already(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, GCancellable *cancellable,
                 GError **error)
{
  g_autoptr(GMappedFile) there = g_mapped_file_new(work->item->output, FALSE, NULL);
  g_autoptr(GBytes) wanted = there ? ms_image_encode(work->result, save, notes, cancellable, error) : NULL;

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
settle_perhaps_saved(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, gboolean *saved,
                     GCancellable *cancellable, GError **error)
{
  g_autoptr(GError) failure = NULL;

  *saved = is_saved_already(work, save, notes, cancellable, &failure);
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
save_to_file(MsBatchImage *work, const MsSaveOptions *save, MsSaveNotes *notes, GCancellable *cancellable,
             GError **error)
{
  g_autofree char *wanted = g_strdup(work->item->output);

  for (guint number = 1;; number++) {
    g_autoptr(GError) failure = NULL;
    if (ms_image_save(work->result, work->item->output, save, notes, cancellable, &failure))
      return TRUE;
    if (work->item->perhaps_saved && g_error_matches(failure, MS_ERROR, MS_ERROR_EXISTS)) {
      gboolean saved = FALSE;
      if (!settle_perhaps_saved(work, save, notes, &saved, cancellable, error))
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
append_note(GString *text, const char *name, const char *note)
{
  g_string_append_printf(text, "%s'%s': %s.", text->len > 0 ? " " : "", name, note);
}

/* Returns (nullable) a sentence on what is lost by reading the input and writing the output. */
static char *
describe_notes(const MsBatchItem *item, const MsSaveNotes *notes)
{
  g_autoptr(GString) text = g_string_new(item->note);

  if (notes->alpha_flattened)
    append_note(text, item->output, "the format has no transparency, so the image was composed on white");
  if (notes->icc_dropped)
    append_note(text, item->output, "the colour profile could not be kept");
  if (notes->exif_dropped)
    append_note(text, item->output, "the EXIF data could not be kept");
  return text->len > 0 ? g_strdup(text->str) : NULL;
}

/* @other_us: time since the call that was not spent on encoding; read at the end. */
static gboolean
save(MsBatchImage *work, const MsRunnerOptions *options, const gint64 *other_us, GCancellable *cancellable,
     GError **error)
{
  MsBatchItem *item = work->item;
  MsSaveOptions chosen = options->save;
  MsSaveNotes notes = {FALSE};
  gint64 start = g_get_monotonic_time();
  g_autofree char *folder = item->folder_length > 0 ? g_strndup(item->output, item->folder_length) : NULL;

  chosen.format = ms_batch_item_format(item, chosen.format);
  chosen.overwrite = item->overwrite;
  chosen.folder = folder;
  if (ms_file_path_is_standard(item->output)) {
    if (!save_to_stdout(work, &chosen, &notes, cancellable, error))
      return FALSE;
  } else if ((!folder && !ms_folder_make_parent(item->output, MS_FOLDER_SHARED, error)) ||
             !save_to_file(work, &chosen, &notes, cancellable, error)) {
    return FALSE;
  } else if (!ms_image_is_stream(item->output)) {
    ms_file_stamp_take(&item->result, item->output, options->hash);
  }
  ms_timing_log_add_host(item->log, MS_STAGE_ENCODE, NULL, ms_image_get_byte_size(work->result),
                         start + (other_us ? *other_us : 0));
  char *note = describe_notes(item, &notes);
  g_free(item->note);
  item->note = note;
  return TRUE;
}

/** ms_stage_save: writes the result to the item's output, which appears only when it is complete. */
gboolean
ms_stage_save(MsBatchImage *work, const MsRunnerOptions *options, GCancellable *cancellable, GError **error)
{
  return save(work, options, NULL, cancellable, error);
}

/**
 * ms_stage_stream:
 * @engine: with which no other thread works
 * @progress: (nullable): called with rows done and rows in all
 *
 * Filters and saves an image that exceeds the memory: the encoder takes rows, which are decoded and filtered in bands.
 *
 * Returns: %FALSE with the errors of the other stages
 */
gboolean
ms_stage_stream(MsBatchImage *work, const MsRunnerOptions *options, MsEngine *engine, MsProgressFunc progress,
                gpointer progress_data, GCancellable *cancellable, GError **error)
{
  MsBatchItem *item = work->item;
  MsStreamedRun run = {.engine = engine,
                       .settings = &options->settings,
                       .repeat = options->repeat,
                       .progress = progress,
                       .progress_data = progress_data,
                       .cancellable = cancellable,
                       .log = item->log,
                       .kernel_ms = item->kernel_ms,
                       .filter_ms = item->filter_ms,
                       .used = options->settings};

  work->result = ms_streamed_result_new(&work->file, &run, error);
  gboolean good = work->result && save(work, options, &run.feed_us, cancellable, error);
  g_clear_object(&work->result);
  item->used = run.used;
  g_free(item->rejected);
  item->rejected = run.rejected;
  g_free(item->device);
  item->device = g_strdup(ms_engine_describe(engine).name);
  return good;
}
