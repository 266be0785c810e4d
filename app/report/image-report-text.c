/* SPDX-License-Identifier: MIT */
#include "app/report/image-report-text.h"

#include "core/lab/measure/statistics.h"
#include "core/number.h"
#include "core/printable.h"

/** ms_image_report_text_title: (transfer full): the lines above an image's tables. */
char *
ms_image_report_text_title(const MsBatchItem *item)
{
  g_autofree char *settings = ms_settings_to_arguments(&item->used);
  g_autofree char *input = ms_printable(item->input, "");
  g_autofree char *output = ms_printable(item->output ? item->output : "", "");

  return g_strdup_printf("%s%s%s: %dx%d, %s\n  %s\n", input, item->output ? " -> " : "", output, item->width,
                         item->height, item->device ? item->device : "-", settings);
}

/* The sum of the rows of one stage and kernel: an image filtered in bands has hundreds of rows. */
typedef struct {
  MsTiming first;
  guint n;
  double queued_ms;
  double submitted_ms;
  double run_ms;
  guint64 bytes;
} Sum;

static double
span_ms(guint64 from, guint64 to)
{
  return to > from ? (double)(to - from) * 1e-6 : 0.0;
}

static Sum *
find_sum(GArray *sums, const MsTiming *row)
{
  for (guint i = 0; i < sums->len; i++) {
    Sum *sum = &g_array_index(sums, Sum, i);
    if (sum->first.stage == row->stage && sum->first.kernel == row->kernel)
      return sum;
  }
  g_array_set_size(sums, sums->len + 1);
  Sum *sum = &g_array_index(sums, Sum, sums->len - 1);
  sum->first = *row;
  return sum;
}

static GArray *
sum_rows(MsTimingLog *log)
{
  GArray *sums = g_array_new(FALSE, TRUE, sizeof(Sum));

  for (guint i = 0; i < ms_timing_log_get_length(log); i++) {
    const MsTiming *row = ms_timing_log_get(log, i);
    Sum *sum = find_sum(sums, row);
    sum->n++;
    sum->queued_ms += span_ms(row->queued_ns, row->submitted_ns);
    sum->submitted_ms += span_ms(row->submitted_ns, row->started_ns);
    sum->run_ms += ms_timing_ms(row);
    sum->bytes += row->bytes;
  }
  return sums;
}

static void
append_sum(GString *text, const Sum *sum)
{
  double megabytes = (double)sum->bytes * 1e-6;
  g_autofree char *queued = ms_number_format(sum->queued_ms, "%.3f");
  g_autofree char *submitted = ms_number_format(sum->submitted_ms, "%.3f");
  g_autofree char *run = ms_number_format(sum->run_ms, "%.3f");
  g_autofree char *bytes = ms_number_format(megabytes, "%.3f");
  g_autofree char *rate = ms_number_format(sum->run_ms > 0 ? megabytes / sum->run_ms : 0, "%.3f");

  g_string_append_printf(text, "  %-9s %-24s %5u %11s %13s %11s %10s %9s\n", ms_stage_name(sum->first.stage),
                         sum->first.kernel ? sum->first.kernel : "", sum->n, queued, submitted, run, bytes, rate);
}

static void
append_repeat_time(GString *text, const char *what, const GArray *samples)
{
  MsSummary time = ms_statistics_summarise((const double *)samples->data, samples->len);
  g_autofree char *median = ms_number_format(time.median, "%.3f");
  g_autofree char *min = ms_number_format(time.minimum, "%.3f");
  g_autofree char *max = ms_number_format(time.maximum, "%.3f");

  if (time.n > 0)
    g_string_append_printf(text, "  %s: median %s ms, minimum %s ms, maximum %s ms, n %u\n", what, median, min, max,
                           time.n);
}

/** ms_image_report_text_timings: (transfer full): a table of the times of every stage and kernel. */
char *
ms_image_report_text_timings(const MsBatchItem *item)
{
  GString *text = g_string_new(NULL);

  if (!item->log)
    return g_string_free(text, FALSE);
  g_autoptr(GArray) sums = sum_rows(item->log);
  g_string_append_printf(text, "  %-9s %-24s %5s %11s %13s %11s %10s %9s\n", "stage", "kernel", "count", "queued ms",
                         "submitted ms", "run ms", "MB", "GB/s");
  for (guint i = 0; i < sums->len; i++)
    append_sum(text, &g_array_index(sums, Sum, i));
  append_repeat_time(text, "kernels", item->kernel_ms);
  append_repeat_time(text, "whole filter, with transfers", item->filter_ms);
  return g_string_free(text, FALSE);
}

/** ms_image_report_text_verify: (transfer full): how the result compares with the reference. */
char *
ms_image_report_text_verify(const MsBatchItem *item)
{
  if (!item->verified)
    return g_strdup("");
  if (!ms_batch_item_differs(item))
    return g_strdup("  verified: identical to the reference\n");
  return g_strdup_printf("  differs from the reference: %" G_GUINT64_FORMAT " pixels, largest difference %d\n",
                         item->difference.mismatched_pixels, item->difference.max_difference);
}
