/* SPDX-License-Identifier: MIT */
#include "core/reduce/runs/run-times.h"

#include "core/json.h"
#include "core/reduce/bandwidth.h"

void
ms_run_times_init(MsRunTimes *self)
{
  self->kernel_ms = g_array_new(FALSE, FALSE, sizeof(double));
  self->wall_ms = g_array_new(FALSE, FALSE, sizeof(double));
}

void
ms_run_times_clear(MsRunTimes *self)
{
  g_clear_pointer(&self->kernel_ms, g_array_unref);
  g_clear_pointer(&self->wall_ms, g_array_unref);
}

void
ms_run_times_add(MsRunTimes *self, double kernel_ms, double wall_ms)
{
  g_array_append_val(self->kernel_ms, kernel_ms);
  g_array_append_val(self->wall_ms, wall_ms);
}

static int
compare_doubles(gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double
sorted_at(GArray *values, guint index)
{
  return g_array_index(values, double, index);
}

static double
median(GArray *values)
{
  g_array_sort(values, compare_doubles);
  return (sorted_at(values, (values->len - 1) / 2) + sorted_at(values, values->len / 2)) / 2;
}

/**
 * ms_run_times_summarise:
 * @self: times of at least one run; sorted here
 * @bytes: bytes of the array, which each run reads once
 */
MsRunSummary
ms_run_times_summarise(MsRunTimes *self, MsContext *context, guint64 bytes)
{
  MsRunSummary summary = {.repeat = self->kernel_ms->len, .median_ms = median(self->kernel_ms)};
  MsBandwidth peak;

  summary.min_ms = sorted_at(self->kernel_ms, 0);
  summary.max_ms = sorted_at(self->kernel_ms, summary.repeat - 1);
  summary.wall_ms = median(self->wall_ms);
  summary.gb_per_s = summary.median_ms > 0 ? (double)bytes / summary.median_ms * 1e-6 : 0;
  if (ms_bandwidth_get(context, NULL, &peak, NULL, NULL))
    summary.peak_share = summary.gb_per_s / peak.read;
  return summary;
}

/** ms_run_text_add: adds a line "NAME VALUE" to a report; numbers must already be text of the C locale. */
void
ms_run_text_add(GString *text, const char *name, const char *format, ...)
{
  va_list arguments;

  g_string_append_printf(text, "%-10s ", name);
  va_start(arguments, format);
  g_string_append_vprintf(text, format, arguments);
  va_end(arguments);
  g_string_append_c(text, '\n');
}

static void
add_number(GString *text, const char *name, const char *format, double value, const char *unit)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd(number, sizeof number, format, value);
  ms_run_text_add(text, name, "%s %s", number, unit);
}

/** ms_run_summary_add_text: one figure a line. */
void
ms_run_summary_add_text(const MsRunSummary *self, GString *text)
{
  add_number(text, "median", "%.4f", self->median_ms, "ms of kernels");
  add_number(text, "fastest", "%.4f", self->min_ms, "ms");
  add_number(text, "slowest", "%.4f", self->max_ms, "ms");
  add_number(text, "wall", "%.4f", self->wall_ms, "ms");
  add_number(text, "bandwidth", "%.2f", self->gb_per_s, "GB/s");
  if (self->peak_share > 0)
    add_number(text, "of peak", "%.1f", 100 * self->peak_share, "%");
}

/** ms_run_summary_add_json: adds members to the object begun before. */
void
ms_run_summary_add_json(const MsRunSummary *self, JsonBuilder *builder)
{
  ms_json_add_integer(builder, "repeat", self->repeat);
  ms_json_add_number(builder, "median_ms", self->median_ms);
  ms_json_add_number(builder, "min_ms", self->min_ms);
  ms_json_add_number(builder, "max_ms", self->max_ms);
  ms_json_add_number(builder, "wall_ms", self->wall_ms);
  ms_json_add_number(builder, "gb_per_s", self->gb_per_s);
  ms_json_add_number(builder, "peak_share", self->peak_share);
}
