/* SPDX-License-Identifier: MIT */
#include "core/reduce/images/statistics-report.h"

#include <math.h>

#include "core/json.h"

typedef double (*Figure)(const MsChannelStatistics *s);

#define FIGURE(name)                                                                                                   \
  static double get_##name(const MsChannelStatistics *s)                                                               \
  {                                                                                                                    \
    return (double)s->name;                                                                                            \
  }

FIGURE(count)
FIGURE(min)
FIGURE(max)
FIGURE(sum)
FIGURE(mean)
FIGURE(stddev)
FIGURE(median)
FIGURE(nonzero)
FIGURE(clipped_low)
FIGURE(clipped_high)

#define PERCENTILE(index, name)                                                                                        \
  static double get_##name(const MsChannelStatistics *s)                                                               \
  {                                                                                                                    \
    return s->percentiles[index];                                                                                      \
  }

PERCENTILE(0, p1)
PERCENTILE(1, p5)
PERCENTILE(2, p25)
PERCENTILE(3, p75)
PERCENTILE(4, p95)
PERCENTILE(5, p99)

/** Row: a statistic with its member name in JSON. @whole: whether it is an exact integer. */
typedef struct {
  const char *name;
  Figure get;
  gboolean whole;
} Row;

static const Row rows[] = {
  {"count", get_count, TRUE},
  {"min", get_min, TRUE},
  {"max", get_max, TRUE},
  {"mean", get_mean, FALSE},
  {"stddev", get_stddev, FALSE},
  {"median", get_median, FALSE},
  {"sum", get_sum, TRUE},
  {"nonzero", get_nonzero, TRUE},
  {"p1", get_p1, FALSE},
  {"p5", get_p5, FALSE},
  {"p25", get_p25, FALSE},
  {"p75", get_p75, FALSE},
  {"p95", get_p95, FALSE},
  {"p99", get_p99, FALSE},
  {"clipped_low", get_clipped_low, TRUE},
  {"clipped_high", get_clipped_high, TRUE},
};

static void
append_number(GString *text, const char *format, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append(text, g_ascii_formatd(buffer, sizeof buffer, format, value));
}

static void
append_timing(GString *text, double kernel_ms, double gb_per_s, double peak_share)
{
  if (kernel_ms <= 0)
    return;
  g_string_append(text, "kernels: ");
  append_number(text, "%.3f", kernel_ms);
  g_string_append(text, " ms, ");
  append_number(text, "%.1f", gb_per_s);
  g_string_append(text, " GB/s");
  if (peak_share > 0) {
    g_string_append(text, ", ");
    append_number(text, "%.0f", 100 * peak_share);
    g_string_append(text, " % of the measured read bandwidth");
  }
  g_string_append_c(text, '\n');
}

/** ms_image_statistics_to_text: (transfer full): a table, one column for each channel, with the time of the pass. */
char *
ms_image_statistics_to_text(const MsImageStatistics *self)
{
  GString *text = g_string_new(NULL);

  g_string_append_printf(text, "%-13s", "");
  for (int c = 0; c < MS_N_CHANNELS; c++)
    g_string_append_printf(text, "%14s", ms_image_channel_name(c));
  g_string_append_c(text, '\n');
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_string_append_printf(text, "%-13s", rows[i].name);
    for (int c = 0; c < MS_N_CHANNELS; c++)
      append_number(text, rows[i].whole ? "%14.0f" : "%14.4f", rows[i].get(&self->channels[c]));
    g_string_append_c(text, '\n');
  }
  append_timing(text, self->kernel_ms, self->gb_per_s, self->peak_share);
  return g_string_free(text, FALSE);
}

static void
add_channel(const MsChannelStatistics *s, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].whole)
      ms_json_add_integer(builder, rows[i].name, (gint64)rows[i].get(s));
    else
      ms_json_add_number(builder, rows[i].name, rows[i].get(s));
  }
  json_builder_end_object(builder);
}

static double
or_unknown(double value)
{
  return value > 0 ? value : NAN; /* written as null in JSON */
}

/* The time of results computed on the host, and the share of an unknown peak, are null. */
static void
add_timing(double kernel_ms, double gb_per_s, double peak_share, JsonBuilder *builder)
{
  ms_json_add_number(builder, "kernel_ms",
                     or_unknown(round(kernel_ms * 1e6) / 1e6)); /* nanoseconds, the resolution of the clock */
  ms_json_add_number(builder, "gb_per_s", or_unknown(gb_per_s));
  ms_json_add_number(builder, "peak_share", or_unknown(peak_share));
}

/**
 * ms_image_statistics_add_json: adds an object of five channels, with the time of the pass over the image and its
 * bandwidth beside them, as the value of the member begun before.
 */
void
ms_image_statistics_add_json(const MsImageStatistics *self, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  for (int c = 0; c < MS_N_CHANNELS; c++) {
    json_builder_set_member_name(builder, ms_image_channel_name(c));
    add_channel(&self->channels[c], builder);
  }
  add_timing(self->kernel_ms, self->gb_per_s, self->peak_share, builder);
  json_builder_end_object(builder);
}

/** ms_image_comparison_to_text: (transfer full): one value a line, with the time of the pass. */
char *
ms_image_comparison_to_text(const MsImageComparison *self)
{
  GString *text = g_string_new(NULL);

  g_string_append_printf(text, "changed pixels:       %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "\n", self->changed,
                         self->pixels);
  g_string_append_printf(text, "largest difference:   %u\nmean abs. difference: ", self->max_difference);
  append_number(text, "%.6f", self->mean_absolute);
  g_string_append(text, "\nPSNR:                 ");
  append_number(text, "%.3f", self->psnr);
  g_string_append(text, " dB\n");
  append_timing(text, self->kernel_ms, self->gb_per_s, self->peak_share);
  return g_string_free(text, FALSE);
}

/** ms_image_comparison_add_json: adds an object; the PSNR of equal images, which is infinite, is null. */
void
ms_image_comparison_add_json(const MsImageComparison *self, JsonBuilder *builder)
{
  json_builder_begin_object(builder);
  ms_json_add_integer(builder, "pixels", (gint64)self->pixels);
  ms_json_add_integer(builder, "changed_pixels", (gint64)self->changed);
  ms_json_add_integer(builder, "max_difference", self->max_difference);
  ms_json_add_number(builder, "mean_absolute_difference", self->mean_absolute);
  ms_json_add_number(builder, "psnr_db", self->psnr);
  add_timing(self->kernel_ms, self->gb_per_s, self->peak_share, builder);
  json_builder_end_object(builder);
}
