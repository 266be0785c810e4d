/* SPDX-License-Identifier: MIT */
#include "core/lab/run-summary.h"

#include "core/error.h"
#include "core/json.h"
#include "core/lab/measure/statistics.h"

/** ms_run_check_outcome: %FALSE with the reason where a configuration did not run; a wrong result is no error. */
gboolean
ms_run_check_outcome(const MsMeasurement *measurement, GError **error)
{
  if (measurement->outcome == MS_OUTCOME_OK || measurement->outcome == MS_OUTCOME_WRONG)
    return TRUE;
  ms_set_error_literal(error, measurement->outcome == MS_OUTCOME_BUILD ? MS_ERROR_BUILD : MS_ERROR_DEVICE,
                       measurement->message);
  return FALSE;
}

/**
 * ms_run_summary_of:
 * @bytes: bytes of the array, which each run reads once
 * @peak_gb_per_s: the device's read bandwidth; 0 or NAN where it is not known
 */
MsRunSummary
ms_run_summary_of(const MsMeasurement *measurement, guint64 bytes, double peak_gb_per_s)
{
  const GArray *walls = measurement->walls;
  const MsSummary times = ms_measurement_summarise(measurement);
  MsRunSummary summary = {.repeat = measurement->samples->len};

  if (summary.repeat == 0)
    return summary;
  summary.median_ms = times.median * 1e-6;
  summary.min_ms = times.minimum * 1e-6;
  summary.max_ms = times.maximum * 1e-6;
  summary.wall_ms = ms_statistics_quantile((const double *)(const void *)walls->data, walls->len, 0.5) * 1e-6;
  summary.gb_per_s = times.median > 0 ? (double)bytes / times.median : 0;
  if (peak_gb_per_s > 0)
    summary.peak_share = summary.gb_per_s / peak_gb_per_s;
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

/** ms_run_summary_add_text: one value a line. */
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
