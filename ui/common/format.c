/* SPDX-License-Identifier: MIT */
#include "ui/common/format.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/** ms_format_ms: (transfer full): three or four digits and a unit: "812 µs", "12.4 ms", "3.21 s". */
char *
ms_format_ms(double ms)
{
  if (!isfinite(ms))
    return g_strdup(MS_NO_NUMBER);
  if (ms < 0.9995)
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

/* The time left is estimated only after this time, since an earlier estimate is inaccurate. */
#define ESTIMATE_MS 1000

/** ms_format_progress: (transfer full): the share that is done after @ms milliseconds; the time left of long runs */
char *
ms_format_progress(double done, double ms)
{
  g_autofree char *left = ms >= ESTIMATE_MS ? ms_format_about(ms * (1 - done) / done) : NULL;

  return left ? g_strdup_printf(_("%.0f %%, about %s left"), done * 100, left) : g_strdup_printf("%.0f %%", done * 100);
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

/* Sentences of the library and settings in the words of the window */

static gboolean
replace_option(const GMatchInfo *match, GString *result, gpointer data)
{
  g_autofree char *name = g_match_info_fetch(match, 1);
  const MsOptionInfo *option = ms_option_find(name);
  g_autofree char *label = option ? ms_format_plain(_(option->label)) : g_strdelimit(g_strdup(name), "-", ' ');

  g_string_append_printf(result, "'%s'", label);
  return FALSE;
}

/**
 * ms_words_of_window: (transfer full): replaces names of options in @sentence by the labels of the window; an option
 * that only the command line has loses its hyphens.
 */
char *
ms_words_of_window(const char *sentence)
{
  g_autoptr(GRegex) options = g_regex_new("(?<![\\w-])--([a-z][a-z-]*[a-z])", 0, 0, NULL);

  return g_regex_replace_eval(options, sentence, -1, 0, 0, replace_option, NULL, NULL);
}

static gboolean
is_named(const MsOptionInfo *option, const char *const *names)
{
  return !names || g_strv_contains(names, option->name);
}

static char *
part_text(const MsOptionInfo *option, const MsSettings *settings, gboolean usual_toggles)
{
  const MsSettings usual = ms_settings_default();
  g_autofree char *label = ms_format_plain(_(option->label));
  g_autofree char *value = ms_option_get_text(option, settings), *before = ms_option_get_text(option, &usual);

  if (option->group == MS_OPTION_GROUP_TOGGLE && !usual_toggles && g_str_equal(value, before))
    return NULL;
  return g_strdup_printf("%s %s", label, value);
}

/* Adds the options of one group. */
static void
append_group(GString *text, MsOptionGroup group, const MsSettings *settings, const char *const *names,
             gboolean usual_toggles)
{
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    const gboolean wanted = table[i].group == group && is_named(&table[i], names);
    g_autofree char *part = wanted ? part_text(&table[i], settings, usual_toggles) : NULL;
    if (part)
      g_string_append_printf(text, "%s%s", text->len > 0 ? " · " : "", part);
  }
}

/**
 * ms_settings_text: (transfer full): labels and values of options
 * @names: (nullable) (array zero-terminated=1): the options; all where %NULL
 * @toggles_first: whether all toggles come first; otherwise toggles that differ from the default come last
 */
char *
ms_settings_text(const MsSettings *settings, const char *const *names, gboolean toggles_first)
{
  g_autoptr(GString) text = g_string_new(NULL);

  append_group(text, toggles_first ? MS_OPTION_GROUP_TOGGLE : MS_OPTION_GROUP_FILTER, settings, names, toggles_first);
  append_group(text, toggles_first ? MS_OPTION_GROUP_FILTER : MS_OPTION_GROUP_TOGGLE, settings, names, toggles_first);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
