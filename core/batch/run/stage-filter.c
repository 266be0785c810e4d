/* SPDX-License-Identifier: MIT */
#include "core/batch/run/stage-filter.h"

#include <inttypes.h>

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
filter_once(MsBatchImage *work, MsEngine *engine, gboolean last, GError **error)
{
  g_autoptr(MsTimingLog) log = ms_timing_log_new();
  MsEngineRun run = {.log = log, .cancellable = work->cancellable};
  g_autoptr(MsImage) result = ms_engine_run(engine, work->source, &work->options->settings, &run, error);
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
ms_stage_filter(MsBatchImage *work, MsEngine *engine, GError **error)
{
  for (guint i = 0; i < work->options->repeat; i++) {
    g_clear_object(&work->result);
    if (!filter_once(work, engine, i + 1 == work->options->repeat, error)) {
      g_prefix_error(error, "'%s': ", work->name);
      return FALSE;
    }
  }
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

/**
 * ms_stage_verify_band:
 * @place: of the band, which has all columns; the bands go from top to bottom
 * @result: of the band
 *
 * Compares a band with the serial reference and adds its differences to those of the item.
 *
 * Returns: %FALSE with #MS_ERROR_MISMATCH after the last band of an image that differs
 */
gboolean
ms_stage_verify_band(MsBatchImage *work, const MsStreamedBand *place, MsImage *result, GError **error)
{
  const MsRegion *region = &place->region;
  MsBatchItem *item = work->item;
  g_autoptr(MsImage) expected = ms_reference_run(
    place->image, &work->options->settings.params,
    &(MsReferenceRun){.region = region, .coarser = place->coarser, .cancellable = work->cancellable}, error);

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

  return ms_stage_verify_band(work, &whole, work->result, error);
}
