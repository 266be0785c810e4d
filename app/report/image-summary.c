/* SPDX-License-Identifier: MIT */
#include "app/report/image-summary.h"

#include "core/reduce/image-comparison.h"
#include "core/reduce/image-statistics.h"

/* Without pointers, since its bytes go from one process to another. */
typedef struct {
  MsImageSummaryParts parts;
  MsImageStatistics of_result;
  MsImageStatistics of_source;
  MsImageComparison change;
} Summary;

/* Copies the rows to @log; the image is added to a kernel's name, since result and source run the same kernels. */
static void
append_named(MsTimingLog *log, MsTimingLog *own, const char *image_name)
{
  for (guint i = 0; log && i < ms_timing_log_get_length(own); i++) {
    MsTiming row = *ms_timing_log_get(own, i);
    if (row.stage == MS_STAGE_KERNEL) {
      g_autofree char *name = g_strdup_printf("%s of the %s", row.kernel, image_name);
      row.kernel = g_intern_string(name);
    }
    ms_timing_log_add(log, &row);
  }
}

static gboolean
measure(const MsDeviceRun *run, MsImage *image, const char *image_name, MsImageStatistics *statistics, GError **error)
{
  g_autoptr(MsTimingLog) own = ms_timing_log_new();

  if (!ms_image_statistics(&(MsDeviceRun){run->context, own, run->cancellable}, image, statistics, error))
    return FALSE;
  append_named(run->log, own, image_name);
  return TRUE;
}

/* Computes the histogram alone, without statistics and the measurement of bandwidth that belongs to them. */
static gboolean
count(const MsDeviceRun *run, MsImage *image, const char *image_name, MsHistogram *histogram, GError **error)
{
  g_autoptr(MsTimingLog) own = ms_timing_log_new();

  if (!ms_histogram_of_image(&(MsDeviceRun){run->context, own, run->cancellable}, image, histogram, error) ||
      !ms_timing_log_resolve(own, error))
    return FALSE;
  append_named(run->log, own, image_name);
  return TRUE;
}

static gboolean
reduce_images(Summary *self, const MsDeviceRun *run, MsImage *source, MsImage *result, GError **error)
{
  if (!self->parts.statistics)
    return count(run, result, "result", &self->of_result.histogram, error);
  return measure(run, result, "result", &self->of_result, error) &&
         measure(run, source, "source", &self->of_source, error) &&
         ms_image_comparison(source, result, &self->change, error);
}

/**
 * ms_image_summary_new:
 * @run: on the engine's device, or without a context for the serial code
 * @parts: the requested parts of the summary
 *
 * Computes the statistics of both images and how they differ, or only the histogram of the result if nothing else is
 * asked for.
 *
 * Returns: (transfer full): the summary, which the same program reads, or %NULL with @error set
 */
GBytes *
ms_image_summary_new(const MsDeviceRun *run, MsImage *source, MsImage *result, MsImageSummaryParts parts,
                     GError **error)
{
  g_autofree Summary *self = g_new0(Summary, 1);

  self->parts = parts;
  if (!reduce_images(self, run, source, result, error))
    return NULL;
  return g_bytes_new_take(g_steal_pointer(&self), sizeof *self);
}

/* (nullable): %NULL for none and for bytes of another size. */
static const Summary *
get_summary(GBytes *summary)
{
  gsize size = 0;
  const Summary *self = summary ? g_bytes_get_data(summary, &size) : NULL;

  return size == sizeof *self ? self : NULL;
}

/** ms_image_summary_join: (transfer full): the summary of an image from those of its rows above and below. */
GBytes *
ms_image_summary_join(GBytes *above, GBytes *below)
{
  const Summary *other = get_summary(below);
  Summary *joined = g_memdup2(get_summary(above), sizeof *joined);

  if (joined->parts.statistics) {
    ms_image_statistics_add(&joined->of_result, &other->of_result);
    ms_image_statistics_add(&joined->of_source, &other->of_source);
    ms_image_comparison_add(&joined->change, &other->change);
  } else {
    ms_histogram_add(&joined->of_result.histogram, &other->of_result.histogram);
  }
  return g_bytes_new_take(joined, sizeof *joined);
}

/**
 * ms_image_summary_add_json:
 * @summary: (nullable): from ms_image_summary_new()
 *
 * Adds "statistics", "source_statistics", "change" and "histogram" if asked for.
 */
void
ms_image_summary_add_json(GBytes *summary, JsonBuilder *builder)
{
  const Summary *self = get_summary(summary);

  if (self && self->parts.statistics) {
    json_builder_set_member_name(builder, "statistics");
    ms_image_statistics_add_json(&self->of_result, builder);
    json_builder_set_member_name(builder, "source_statistics");
    ms_image_statistics_add_json(&self->of_source, builder);
    json_builder_set_member_name(builder, "change");
    ms_image_comparison_add_json(&self->change, builder);
  }
  if (self && self->parts.histogram) {
    json_builder_set_member_name(builder, "histogram");
    ms_histogram_add_json(&self->of_result.histogram, builder);
  }
}

/** ms_image_summary_to_text: (transfer full): the requested tables; empty for %NULL. */
char *
ms_image_summary_to_text(GBytes *summary)
{
  const Summary *self = get_summary(summary);
  GString *text = g_string_new(NULL);

  if (self && self->parts.statistics) {
    g_autofree char *result = ms_image_statistics_to_text(&self->of_result);
    g_autofree char *change = ms_image_comparison_to_text(&self->change);
    g_string_append(text, result);
    g_string_append(text, change);
  }
  if (self && self->parts.histogram) {
    g_autofree char *counts = ms_histogram_to_text(&self->of_result.histogram);
    g_string_append(text, counts);
  }
  return g_string_free(text, FALSE);
}
