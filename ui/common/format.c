/* SPDX-License-Identifier: MIT */
#include "ui/common/format.h"

#include <math.h>

/** ms_format_ms: (transfer full): three or four digits and a unit: "812 µs", "12.4 ms", "3.21 s". */
char *
ms_format_ms(double ms)
{
  if (!isfinite(ms))
    return g_strdup(MS_NO_NUMBER);
  if (ms < 1.0)
    return g_strdup_printf("%.3g µs", ms * 1e3);
  if (ms < 1000.0)
    return g_strdup_printf(ms < 10 ? "%.2f ms" : ms < 100 ? "%.1f ms" : "%.0f ms", ms);
  return g_strdup_printf(ms < 1e5 ? "%.2f s" : "%.0f s", ms * 1e-3);
}

/** ms_format_about: (transfer full): an estimate in milliseconds, rounded to two digits: "15 s". */
char *
ms_format_about(double ms)
{
  double unit = ms < 1 ? 0.1 : pow(10, floor(log10(ms)) - 1), rounded = rint(ms / unit) * unit;

  return rounded < 1000 ? g_strdup_printf("%g ms", rounded) : g_strdup_printf("%g s", rounded * 1e-3);
}

char *
ms_format_ns(double ns)
{
  return ms_format_ms(ns * 1e-6);
}

/** ms_format_cell_ms: (transfer full): milliseconds for a column whose heading names the unit. */
char *
ms_format_cell_ms(double ms)
{
  return isfinite(ms) ? g_strdup_printf("%.3f", ms) : g_strdup(MS_NO_NUMBER);
}

char *
ms_format_bytes(guint64 bytes)
{
  return bytes > 0 ? g_format_size(bytes) : g_strdup(MS_NO_NUMBER);
}

char *
ms_format_rate(double gb_per_s)
{
  if (!isfinite(gb_per_s) || gb_per_s <= 0)
    return g_strdup(MS_NO_NUMBER);
  return g_strdup_printf(gb_per_s < 10 ? "%.2f" : "%.1f", gb_per_s);
}

/** ms_format_share: (transfer full): 0.125 is "12.5 %". */
char *
ms_format_share(double share)
{
  if (!isfinite(share) || share <= 0)
    return g_strdup(MS_NO_NUMBER);
  return g_strdup_printf(share < 0.1 ? "%.2f %%" : "%.1f %%", share * 100);
}

/**
 * ms_format_plain: (transfer full): a label of a control without the mark of its access key, and without a key that is
 * added in parentheses, as Chinese labels have it.
 */
char *
ms_format_plain(const char *label)
{
  g_autoptr(GRegex) mark = g_regex_new("\\(_\\w\\)|_", 0, 0, NULL);

  return g_regex_replace_literal(mark, label, -1, 0, "", 0, NULL);
}

/** ms_format_count: (transfer full): with the thousands separator of the locale. */
char *
ms_format_count(guint64 count)
{
  return g_strdup_printf("%'" G_GUINT64_FORMAT, count);
}

/** ms_format_ratio: (transfer full): "1.34×" */
char *
ms_format_ratio(double ratio)
{
  if (!isfinite(ratio) || ratio <= 0)
    return g_strdup(MS_NO_NUMBER);
  return g_strdup_printf(ratio < 10 ? "%.2f×" : "%.1f×", ratio);
}
