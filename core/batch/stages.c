/* SPDX-License-Identifier: MIT */
#include "core/batch/stages.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <unistd.h>

#include "core/batch/saving.h"
#include "core/batch/stream-spool.h"
#include "core/file.h"
#include "core/filter/space/space.h"
#include "core/filter/reference.h"
#include "core/image/codec.h"
#include "core/image/common/losses.h"
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"
#include "core/process/memory-cap.h"

/** ms_batch_image_new: (transfer full): both must outlive the image. */
MsBatchImage *
ms_batch_image_new(MsBatchItem *item, const MsBatchRun *run)
{
  MsBatchImage *self = g_new0(MsBatchImage, 1);

  self->item = item;
  self->request = run->request;
  self->run = run;
  self->name = ms_batch_item_input_name(item);
  return self;
}

/** ms_batch_image_free: frees the image, but not its item. */
void
ms_batch_image_free(MsBatchImage *self)
{
  if (!self)
    return;
  g_clear_object(&self->source);
  g_clear_object(&self->result);
  ms_streamed_file_clear(&self->file);
  g_clear_pointer(&self->input, ms_image_file_close);
  g_free(self->name);
  g_free(self);
}

/* Measure */

#define BYTES_PER_PIXEL 4
#define SMALL_FILE (1 << 20)

/*
 * The most memory that an image takes in flight: with the coefficients of a progressive JPEG file or its result; or the
 * result alone with the filtered rows of a PNG file and their compressed bytes; and the reference's result.
 */
static guint64
bytes_in_flight(guint64 width, guint64 height, gboolean verify)
{
  return width * height * BYTES_PER_PIXEL * (verify ? 4 : 3);
}

/* Opens a file for its header, or reads a pipe, which cannot be read twice; files are stamped as they were then. */
static gboolean
open_input(MsBatchImage *work, GError **error)
{
  MsBatchItem *item = work->item;
  gboolean standard = ms_file_path_is_standard(item->input);
  gboolean is_pipe = item->input_spool > 0 || item->input_is_stream;
  /* Files of up to SMALL_FILE bytes are read under any limit, because the refusal states the memory that they need. */
  MsImageLimits limits = work->request->limits;

  limits.accepts_streams = item->input_is_stream;
  limits.decoder_memory = work->request->memory_limit ? work->run->memory : 0;
  if (is_pipe && work->request->memory_limit)
    limits.max_bytes = MAX(work->run->memory, MIN(work->request->memory_limit, SMALL_FILE));
  if (item->input_spool > 0) {
    g_autoptr(GBytes) content = ms_stream_spool_read(item->input_spool, work->name, error);
    work->input =
      content ? ms_image_file_open_bytes(content, work->name, &limits, work->run->cancellable, error) : NULL;
  } else if (standard) {
    work->input = ms_image_file_open_fd(STDIN_FILENO, work->name, &limits, work->run->cancellable, error);
  } else {
    work->input = ms_image_file_open(item->input, &limits, work->run->cancellable, error);
  }
  if (!is_pipe && work->input)
    ms_file_stamp_take_open(&item->source, work->input->fd, work->request->resume == MS_RESUME_HASH);
  else if (!is_pipe)
    ms_file_stamp_take(&item->source, item->input, work->request->resume == MS_RESUME_HASH);
  return work->input != NULL;
}

/* Why the image is needed as a whole, as the end of a sentence; %NULL where it may be filtered in bands. */
static const char *
why_whole(const MsBatchImage *work, const MsCodec *codec)
{
  if (!work->item->output)
    return NULL;
  if (work->item->output_is_stream)
    return N_("only a file is written by rows");
  return codec->encoder->bytes ? NULL : N_("the format of the output is not written by rows");
}

/* The smallest limit under which images may take @bytes. */
static guint64
mebibytes_needed(const MsBatchRun *run, guint64 bytes)
{
  return (ms_memory_cap_needed(bytes, run->memory_runtime) >> 20) + 1;
}

/*
 * Checks that the file can be read by rows, or else prepares temporary files for its pixels and says so; %FALSE with
 * the reason where neither is possible. @bytes: (out): working memory of the decoder.
 */
static gboolean
choose_reading(MsBatchImage *work, guint64 *bytes, GError **error)
{
  MsStreamedFile *file = &work->file;
  g_autoptr(GError) reason = NULL;

  if (ms_image_file_start_rows(work->input, &reason)) {
    *bytes = work->input->row_memory;
    return TRUE;
  }
  if (work->request->scratch && work->input->codec->decoder->gives_rows &&
      g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED)) {
    ms_note_add_error(&work->item->notes, MS_NOTE_SCRATCH, work->request->scratch, reason);
    file->scratch = ms_scratch_file_new(work->request->scratch, work->name);
    *bytes = 2 * MS_SCRATCH_STEP;
    return TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

static guint64
encoder_bytes(const MsBatchImage *work, const MsImageHeader *header)
{
  const MsSaveOptions save = ms_saving_options(work);

  return work->item->output ? ms_codec_get(save.format)->encoder->bytes(header->width, header->height, &save) : 0;
}

/* The reference in another colour space than RGB has its rows in that space before and after the filter. */
static guint
reference_copies(const MsBatchRun *run)
{
  return run->request->verify && run->request->settings.params.space != MS_SPACE_RGB ? 2 : 0;
}

/* With levels the reference has the rows of a band twice, and their mask. */
static guint
level_copies(const MsBatchRun *run)
{
  return run->request->settings.params.levels > 0 ? 2 : 0;
}

/*
 * Compresses a PNG file in bands, which takes longer, only where compressing it as a whole leaves bands so low that the
 * halo is most of what is filtered.
 */
static MsStreamPlan
plan_bands(MsBatchImage *work, const MsImageHeader *header, guint64 other_bytes)
{
  const guint verify = work->request->verify ? 1 : 0;
  MsStreamRequest request = {.width = header->width,
                             .height = header->height,
                             .params = work->request->settings.params,
                             .copies = work->run->inspected_copies + verify + level_copies(work->run),
                             .coarse_copies = 1 + verify,
                             .halo_copies = work->run->engine_copies + reference_copies(work->run),
                             .memory = work->run->memory};

  request.codec_bytes = other_bytes + encoder_bytes(work, header);
  MsStreamPlan plan = ms_stream_plan(&request);
  work->saves_memory = plan.most_rows < MAX(plan.halo, 1);
  if (!work->saves_memory)
    return plan;
  request.codec_bytes = other_bytes + encoder_bytes(work, header);
  return ms_stream_plan(&request);
}

/*
 * Plans bands for an image that exceeds the memory; %FALSE with the reason where it cannot be filtered in bands.
 * @needs_scratch: (out): whether a folder for temporary files would make it possible
 */
static gboolean
plan_stream(MsBatchImage *work, const MsImageHeader *header, gboolean *needs_scratch, GError **error)
{
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(work->item, work->request->save.format));
  const char *why = why_whole(work, codec);
  MsStreamedFile *file = &work->file;

  if (why) {
    ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, why);
    return FALSE;
  }
  *file = (MsStreamedFile){.input = work->input};
  guint64 reading = 0;
  *needs_scratch = work->input->codec->decoder->gives_rows && !work->request->scratch;
  if (!choose_reading(work, &reading, error))
    return FALSE;
  *needs_scratch = FALSE;
  file->plan = plan_bands(work, header, reading + (work->input->bytes ? work->input->size : 0));
  if (file->plan.most_rows == 0) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "by bands of rows it needs %" PRIu64 " MiB",
                 mebibytes_needed(work->run, file->plan.bytes));
    return FALSE;
  }
  return TRUE;
}

#define TOO_LARGE                                                                                                      \
  N_("'%s' has %dx%d pixels and needs %" PRIu64 " MiB, more than --memory-limit allows (%s); raise the limit.")
#define TOO_LARGE_FOR_ROWS                                                                                             \
  N_("'%s' has %dx%d pixels and needs %" PRIu64 " MiB, more than --memory-limit allows. %s Raise the limit, or give "  \
     "--scratch.")

static void
set_memory_error(const MsBatchImage *work, const MsImageHeader *header, gboolean needs_scratch, const GError *reason,
                 GError **error)
{
  g_autofree char *english = ms_error_dup_english(reason);
  const int w = header->width, h = header->height;
  guint64 mib = mebibytes_needed(work->run, work->bytes);

  ms_error_take(error, MS_ERROR_TOO_LARGE,
                needs_scratch ? g_strdup_printf(_(TOO_LARGE_FOR_ROWS), work->name, w, h, mib, reason->message)
                              : g_strdup_printf(_(TOO_LARGE), work->name, w, h, mib, reason->message),
                needs_scratch ? g_strdup_printf(TOO_LARGE_FOR_ROWS, work->name, w, h, mib, english)
                              : g_strdup_printf(TOO_LARGE, work->name, w, h, mib, english));
}

/*
 * Decides whether the image is filtered in bands: where it exceeds the memory and that is possible. Otherwise it is
 * refused if the user set the limit, and loaded alone if not.
 */
static gboolean
decide_bands(MsBatchImage *work, const MsImageHeader *header, GError **error)
{
  g_autoptr(GError) reason = NULL;
  gboolean needs_scratch = FALSE;

  if (work->bytes <= work->run->memory)
    return TRUE;
  work->is_streamed = plan_stream(work, header, &needs_scratch, &reason);
  if (work->is_streamed)
    work->bytes = work->file.plan.bytes;
  if (work->is_streamed ||
      (g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED) && work->request->memory_limit == 0))
    return TRUE;
  if (g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED))
    set_memory_error(work, header, needs_scratch, reason, error);
  else
    g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

/* Checks before filtering that the output's format can store the image. */
static gboolean
check_format(const MsBatchImage *work, const MsImageHeader *header, GError **error)
{
  if (!work->item->output)
    return TRUE;
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(work->item, work->request->save.format));
  return ms_codec_check_sides(codec, work->name, header->width, header->height, error);
}

/* Counts a process that decodes the image, with the memory that it shares with this one, and limits it. */
static void
count_process(MsBatchImage *work)
{
  MsImageFile *file = work->input;
  const guint64 pixels = (guint64)file->header.width * (guint64)file->header.height;

  if (file->process_memory == 0)
    return;
  work->bytes = MAX(work->bytes, pixels * BYTES_PER_PIXEL + file->process_memory);
  if (work->request->memory_limit)
    file->limits.decoder_memory = file->process_memory;
}

/** ms_stage_measure: reads the header, and a pipe as a whole, and refuses images that cannot be loaded or saved. */
gboolean
ms_stage_measure(MsBatchImage *work, GError **error)
{
  if (!open_input(work, error))
    return FALSE;
  const MsImageHeader *header = &work->input->header;
  g_clear_pointer(&work->item->notes, g_free);
  work->item->bits = header->bits;
  ms_losses_note(&work->item->notes, header, NULL, work->name);
  work->bytes = bytes_in_flight((guint64)header->width, (guint64)header->height, work->request->verify);
  count_process(work);
  if (work->input->bytes)
    work->bytes += work->input->size;
  return check_format(work, header, error) && decide_bands(work, header, error);
}

/* Decode */

/* @damage: (nullable): the damage of the input that --accept-damaged accepted, as a sentence */
static void
note_damage(MsBatchImage *work, const char *damage)
{
  if (damage)
    ms_note_add(&work->item->notes, MS_NOTE_DAMAGED, work->name, damage);
}

/** ms_stage_decode: loads the image of the item, or inspects the file of one that is streamed. */
gboolean
ms_stage_decode(MsBatchImage *work, GError **error)
{
  MsBatchItem *item = work->item;
  gint64 start = g_get_monotonic_time();

  if (work->is_streamed) {
    g_clear_pointer(&item->log, ms_timing_log_unref);
    item->log = ms_timing_log_new();
    if (!ms_streamed_file_inspect(&work->file, error))
      return FALSE;
    item->width = work->file.width;
    item->height = work->file.height;
    if (work->file.image)
      note_damage(work, ms_image_get_damage(work->file.image));
    if (work->file.image)
      ms_timing_log_add_host(item->log, MS_STAGE_DECODE, NULL, ms_image_get_byte_size(work->file.image), start);
    return TRUE;
  }
  work->source = ms_image_file_load(work->input, error);
  g_clear_pointer(&work->input, ms_image_file_close);
  if (!work->source)
    return FALSE;
  note_damage(work, ms_image_get_damage(work->source));
  item->width = ms_image_get_width(work->source);
  item->height = ms_image_get_height(work->source);
  item->log = ms_timing_log_new();
  ms_timing_log_add_host(item->log, MS_STAGE_DECODE, NULL, ms_image_get_byte_size(work->source), start);
  return TRUE;
}

/* Filter and verify */

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
filter_once(MsBatchImage *work, MsEngine *engine, MsProgressFunc progress, guint repeat, GError **error)
{
  MsBatchItem *item = work->item;
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsJob job = {.source = work->source,
               .settings = &work->request->settings,
               .progress = progress,
               .progress_data = work,
               .log = log,
               .cancellable = work->run->cancellable};

  work->result = ms_engine_run(engine, &job, error);
  if (work->result) {
    ms_batch_item_take_job(item, &job, repeat, work->request->repeat);
    g_free(item->device);
    item->device = g_strdup(ms_engine_describe(engine).name);
    if (repeat + 1 < work->request->repeat)
      keep_build_rows(item->log, log);
  } else {
    g_free(item->rejected);
    item->rejected = g_steal_pointer(&job.rejected);
  }
  ms_job_clear(&job);
  return work->result != NULL;
}

/* Notes by which profile the colours were converted, and that it is another than the picture's where that is so. */
static void
note_profile(MsBatchImage *work, const MsMetadata *metadata)
{
  const MsSpace space = work->request->settings.params.space;
  GBytes *icc = metadata ? metadata->icc : NULL;

  g_free(work->item->profile);
  work->item->profile = ms_space_dup_profile(space, icc);
  if (space == MS_SPACE_RGB || !icc || ms_space_knows_profile(icc))
    return;
  ms_note_add(&work->item->notes, MS_NOTE_PROFILE, work->name, NULL);
}

/**
 * ms_stage_filter: runs the engine as often as the options say and keeps the last result.
 * @progress: (nullable): its data is @work
 */
gboolean
ms_stage_filter(MsBatchImage *work, MsEngine *engine, MsProgressFunc progress, GError **error)
{
  for (guint i = 0; i < work->request->repeat; i++) {
    g_clear_object(&work->result);
    if (!filter_once(work, engine, progress, i, error)) {
      g_prefix_error(error, "'%s': ", work->name);
      return FALSE;
    }
  }
  note_profile(work, ms_image_get_metadata(work->source));
  return TRUE;
}

static gboolean
check_difference(const MsBatchItem *item, GError **error)
{
  if (item->difference.mismatched_pixels == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_MISMATCH,
               "'%s' differs from the reference in %" PRIu64 " of %" PRIu64
               " pixels, by up to %d levels; it is not saved.",
               item->input, item->difference.mismatched_pixels, (guint64)item->width * item->height,
               item->difference.max_difference);
  return FALSE;
}

/*
 * @place: of the band, which has all columns; the bands go from top to bottom
 * @result: of the band
 *
 * Compares a band with the serial reference and adds its differences to those of the item.
 *
 * Returns: %FALSE with #MS_ERROR_MISMATCH after the last band of an image that differs
 */
static gboolean
verify_band(MsBatchImage *work, const MsStreamedBand *place, MsImage *result, GError **error)
{
  const MsRegion *region = &place->region;
  MsBatchItem *item = work->item;
  MsJob job = {.source = place->image,
               .settings = &work->request->settings,
               .region = region,
               .coarser = place->coarser,
               .cancellable = work->run->cancellable};
  g_autoptr(MsImage) expected = ms_reference_run(&job, error);

  if (!expected)
    return FALSE;
  MsImageDifference band = ms_image_compare(expected, result);
  if (region->y == 0)
    item->difference = (MsImageDifference){0, 0};
  item->difference.mismatched_pixels += band.mismatched_pixels;
  item->difference.max_difference = MAX(item->difference.max_difference, band.max_difference);
  item->verified = region->y + region->height == item->height;
  return !item->verified || check_difference(item, error);
}

/**
 * ms_stage_verify: compares with the serial reference; %FALSE with #MS_ERROR_MISMATCH, and the differences in the item.
 */
gboolean
ms_stage_verify(MsBatchImage *work, GError **error)
{
  const MsStreamedBand whole = {work->source, NULL, ms_image_get_extent(work->source)};

  return verify_band(work, &whole, work->result, error);
}

/* Save */

/** ms_stage_save: writes the result to the item's output, which appears only when it is complete. */
gboolean
ms_stage_save(MsBatchImage *work, GError **error)
{
  const MsImageFrame frame = ms_image_get_frame(work->result);
  const gboolean is_stream = work->item->output_spool > 0 || ms_file_path_is_standard(work->item->output);
  MsSaving saving;

  ms_saving_init(&saving, work);
  const gboolean good = is_stream ? ms_saving_to_stream(&saving, error)
                                  : ms_saving_begin(&saving, &frame, error) &&
                                      ms_saving_rows(&saving, work->result, error) && ms_saving_end(&saving, error);
  ms_saving_clear(&saving);
  return good;
}

/* Images that exceed the memory */

/*
 * The parameters of the functions that are called for each band.
 * @device: (nullable): of the engine, which may change to the processor
 * @sibling: (nullable): a second context of @device for the statistics of rows, while the engine filters the next ones
 */
typedef struct {
  MsSaving saving;
  MsBatchImage *work;
  MsEngine *engine;
  MsContext *device;
  MsContext *sibling;
} Bands;

/* (transfer none) (nullable): without a further queue, the processor inspects. */
static MsContext *
choose_context(Bands *self)
{
  MsContext *device = ms_engine_get_context(self->engine);

  if (device == self->device)
    return self->sibling;
  g_clear_pointer(&self->sibling, ms_context_unref);
  g_clear_pointer(&self->device, ms_context_unref);
  self->device = ms_context_ref(device);
  self->sibling = ms_context_new_sibling(device, NULL);
  return self->sibling;
}

static gboolean
check_band(MsImage *source, MsImage *result, const MsStreamedBand *band, gpointer data, GError **error)
{
  Bands *self = data;
  const MsBatchRun *run = self->work->run;
  const MsInspection rows = {self->work->item, source, result, band->region.y,
                             run->inspect ? choose_context(self) : NULL};

  if (run->inspect && !run->inspect(&rows, run->data, error))
    return FALSE;
  return !self->work->request->verify || verify_band(self->work, band, result, error);
}

static gboolean
save_band(MsImage *result, gpointer data, GError **error)
{
  Bands *self = data;

  return ms_saving_rows(&self->saving, result, error);
}

/* Filters the image, and saves it where it has an output. */
static gboolean
filter_bands(Bands *self, MsStreamedRun *run, GError **error)
{
  MsBatchImage *work = self->work;
  const MsStreamedFile *file = &work->file;
  const MsImageFrame frame = {file->width, file->height, file->is_opaque, ms_streamed_file_get_metadata(file)};

  if (!work->item->output)
    return ms_streamed_file_filter(file, run, error);
  run->take = save_band;
  ms_saving_init(&self->saving, work);
  const gboolean good = ms_saving_begin(&self->saving, &frame, error) && ms_streamed_file_filter(file, run, error) &&
                        ms_saving_end(&self->saving, error);
  ms_saving_clear(&self->saving);
  return good;
}

/**
 * ms_stage_stream:
 * @engine: with which no other thread works
 * @progress: (nullable): called with rows done and rows in all, and with @work
 *
 * Decodes, filters, verifies and saves an image that exceeds the memory, in bands.
 *
 * Returns: %FALSE with the errors of the other stages
 */
gboolean
ms_stage_stream(MsBatchImage *work, MsEngine *engine, MsProgressFunc progress, GError **error)
{
  MsBatchItem *item = work->item;
  Bands bands = {.work = work, .engine = engine};
  MsStreamedRun run = {.engine = engine,
                       .settings = &work->request->settings,
                       .repeat = work->request->repeat,
                       .progress = progress,
                       .progress_data = work,
                       .cancellable = work->run->cancellable,
                       .item = item,
                       .verifies = work->request->verify,
                       .inspect = work->run->inspect || work->request->verify ? check_band : NULL,
                       .data = &bands};

  item->used = work->request->settings;
  g_clear_pointer(&item->rejected, g_free);
  const gboolean good = filter_bands(&bands, &run, error);
  note_damage(work, run.damage);
  note_profile(work, ms_streamed_file_get_metadata(&work->file));
  g_free(run.damage);
  g_clear_pointer(&bands.sibling, ms_context_unref);
  g_clear_pointer(&bands.device, ms_context_unref);
  g_free(item->device);
  item->device = g_strdup(ms_engine_describe(engine).name);
  return good;
}
