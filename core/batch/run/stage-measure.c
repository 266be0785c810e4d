/* SPDX-License-Identifier: MIT */
#include "core/batch/run/stage-measure.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <unistd.h>

#include "core/process/memory-cap.h"
#include "core/batch/run/stream-spool.h"
#include "core/image/codec.h"
#include "core/image/file/file-path.h"
#include "core/image/image-drain.h"
#include "core/image/image-peek.h"
#include "core/image/stream/row-file.h"

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

/* Reads the header of a file, or a pipe's whole content, which cannot be read twice. */
static gboolean
read_header(MsBatchImage *work, MsImageHeader *header, GError **error)
{
  const char *input = work->item->input;
  /* Files of up to SMALL_FILE bytes are read under any limit, because the refusal states the memory that they need. */
  MsImageLimits limits = work->options->limits;

  if (work->item->input_spool == 0 && !ms_file_path_is_standard(input) && !ms_image_is_stream(input))
    return ms_image_peek_size(input, &limits, header, error);
  if (work->options->memory_limit)
    limits.max_bytes = MAX(work->options->memory, MIN(work->options->memory_limit, SMALL_FILE));
  if (work->item->input_spool > 0)
    work->content = ms_stream_spool_read(work->item->input_spool, work->name, error);
  else if (ms_file_path_is_standard(input))
    work->content = ms_image_drain_fd(STDIN_FILENO, work->name, &limits, work->cancellable, error);
  else
    work->content = ms_image_drain(input, &limits, work->cancellable, error);
  return work->content && ms_image_peek_bytes(work->content, work->name, &limits, header, error);
}

/* Why the image is needed as a whole, as the end of a sentence; %NULL where it may be filtered in bands. */
static const char *
why_whole(const MsBatchImage *work, const MsCodec *codec)
{
  if (work->options->settings.params.levels > 0 && work->options->several_devices)
    return N_("with --levels several devices need the whole image; a single one filters it in bands");
  if (!work->item->output)
    return NULL;
  if (work->item->output_spool > 0 || ms_file_path_is_standard(work->item->output) ||
      ms_image_is_stream(work->item->output))
    return N_("only a file is written by rows");
  return codec->write_bytes ? NULL : N_("the format of the output is not written by rows");
}

/* The smallest limit under which images may take @bytes. */
static guint64
mebibytes_needed(const MsRunnerOptions *options, guint64 bytes)
{
  return (ms_memory_cap_needed(bytes, options->memory_runtime) >> 20) + 1;
}

/* Notes why pixels are stored in a temporary file. */
static void
note_scratch(MsBatchImage *work, const GError *reason)
{
  g_autofree char *english = ms_error_dup_english(reason);

  for (MsLanguage language = 0; language < MS_N_LANGUAGES; language++)
    ms_batch_item_add_note(work->item, language,
                           g_strdup_printf(ms_text(language, "%s Its pixels are stored in a temporary file in '%s'."),
                                           language == MS_LANGUAGE_USER ? reason->message : english,
                                           work->options->scratch));
}

/*
 * Checks that the file can be read by rows, or else prepares temporary files for its pixels and says so; %FALSE with
 * the reason where neither is possible. @bytes: (out): working memory of the decoder.
 */
static gboolean
settle_reading(MsBatchImage *work, const MsImageHeader *header, guint64 *bytes, GError **error)
{
  MsStreamedFile *file = &work->file;
  g_autoptr(GError) reason = NULL;
  g_autoptr(MsRowFile) rows = ms_row_file_open(&file->input, NULL, &reason);

  if (rows) {
    *bytes = ms_row_file_get_reader(rows)->bytes;
    return TRUE;
  }
  if (work->options->scratch && ms_codec_get(header->format)->open_rows &&
      g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED)) {
    note_scratch(work, reason);
    file->scratch = ms_scratch_file_new(work->options->scratch, work->name);
    *bytes = 2 * MS_SCRATCH_STEP;
    return TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&reason));
  return FALSE;
}

static guint64
encoder_bytes(const MsBatchImage *work, const MsImageHeader *header)
{
  MsSaveOptions save = work->options->save;

  save.format = ms_batch_item_format(work->item, save.format);
  save.saves_memory = work->saves_memory;
  return work->item->output ? ms_codec_get(save.format)->write_bytes(header->width, header->height, &save) : 0;
}

/* The reference in another colour space than RGB has its rows in that space before and after the filter. */
static guint
reference_copies(const MsRunnerOptions *options)
{
  return options->verify && options->settings.params.space != MS_SPACE_RGB ? 2 : 0;
}

/* With levels the reference has the rows of a band twice, and their mask. */
static guint
level_copies(const MsRunnerOptions *options)
{
  return options->settings.params.levels > 0 ? 2 : 0;
}

/*
 * Compresses a PNG file in bands, which takes longer, only where compressing it as a whole leaves bands so low that the
 * halo is most of what is filtered.
 */
static MsStreamPlan
plan_bands(MsBatchImage *work, const MsImageHeader *header, guint64 other_bytes)
{
  const guint verify = work->options->verify ? 1 : 0;
  MsStreamRequest request = {.width = header->width,
                             .height = header->height,
                             .params = work->options->settings.params,
                             .copies = work->options->inspected_copies + verify + level_copies(work->options),
                             .coarse_copies = 1 + verify,
                             .halo_copies = work->options->engine_copies + reference_copies(work->options),
                             .memory = work->options->memory};

  request.codec_bytes = other_bytes + encoder_bytes(work, header);
  MsStreamPlan plan = ms_stream_plan(&request);
  work->saves_memory = plan.band_rows < MAX(plan.halo, 1);
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
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(work->item, work->options->save.format));
  const char *why = why_whole(work, codec);
  MsStreamedFile *file = &work->file;

  if (why) {
    ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, why);
    return FALSE;
  }
  *file = (MsStreamedFile){.input = {work->item->input, work->name, work->content, &work->options->limits}};
  guint64 reading = 0;
  *needs_scratch = ms_codec_get(header->format)->open_rows && !work->options->scratch;
  if (!settle_reading(work, header, &reading, error))
    return FALSE;
  *needs_scratch = FALSE;
  file->plan = plan_bands(work, header, reading + (work->content ? g_bytes_get_size(work->content) : 0));
  if (file->plan.band_rows == 0) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED, "by bands of rows it needs %" PRIu64 " MiB",
                 mebibytes_needed(work->options, file->plan.bytes));
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
  guint64 mib = mebibytes_needed(work->options, work->bytes);

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
settle_memory(MsBatchImage *work, const MsImageHeader *header, GError **error)
{
  g_autoptr(GError) reason = NULL;
  gboolean needs_scratch = FALSE;

  if (work->bytes <= work->options->memory)
    return TRUE;
  work->is_streamed = plan_stream(work, header, &needs_scratch, &reason);
  if (work->is_streamed)
    work->bytes = work->file.plan.bytes;
  if (work->is_streamed ||
      (g_error_matches(reason, MS_ERROR, MS_ERROR_UNSUPPORTED) && work->options->memory_limit == 0))
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
  const MsCodec *codec = ms_codec_get(ms_batch_item_format(work->item, work->options->save.format));
  return ms_codec_check_built(codec, work->item->output, error) &&
         ms_codec_check_sides(codec, work->name, header->width, header->height, error);
}

/** ms_stage_measure: reads the header, and a pipe as a whole, and refuses images that cannot be loaded or saved. */
gboolean
ms_stage_measure(MsBatchImage *work, GError **error)
{
  MsImageHeader header;

  if (work->item->input_spool == 0 && !ms_file_path_is_standard(work->item->input) &&
      !ms_image_is_stream(work->item->input))
    ms_file_stamp_take(&work->item->source, work->item->input, work->options->hash);
  if (!read_header(work, &header, error))
    return FALSE;
  ms_batch_item_clear_notes(work->item);
  for (MsLanguage language = 0; language < MS_N_LANGUAGES; language++)
    ms_batch_item_add_note(work->item, language, ms_image_header_describe_losses(&header, work->name, language));
  work->bytes = bytes_in_flight((guint64)header.width, (guint64)header.height, work->options->verify);
  if (work->content)
    work->bytes += g_bytes_get_size(work->content);
  return check_format(work, &header, error) && settle_memory(work, &header, error);
}
