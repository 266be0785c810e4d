/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/experiment-list.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/lab/report/report-verdict.h"

/* The order */

/* Studies as data/experiments/README.md names them, in the order of the groups. */
static const MsStudy studies[] = {
  {"MS", N_("Mean-shift filtering")}, {"LB", N_("Load balancing")},  {"MM", N_("Minimum, maximum and count")},
  {"PCL", N_("Sum reduction")},       {"BD", N_("Thread swapping")}, {"", N_("Other")},
};

/* The first steps of the page Learn, the most general first; all other experiments follow, study by study. */
static const char *const steps[] = {
  "ms-serial",    "ms-ndrange-size",    "ms-ndrange-shape", "ms-memory-object", "ms-local-memory",
  "ms-unroll",    "ms-access",          "ms-cumulative",    "ms-transfer",      "sum-stride-times",
  "sum-sizes",    "sum-group-variants", "memory-levels",    "minmax-builtin",   "minmax-bank-conflict",
  "swap-example", "swap-meanshift",     "split-adaptive",
};

/** ms_study_find: (transfer none): a study by its short name; the last one for what belongs to none of the others. */
const MsStudy *
ms_study_find(const char *name)
{
  guint n = 0;

  while (n < G_N_ELEMENTS(studies) - 1 && strcmp(studies[n].name, name ? name : "") != 0)
    n++;
  return &studies[n];
}

/* Lower numbers come first. */
static guint
place_of(const MsExperiment *experiment, gboolean lessons)
{
  for (guint i = 0; lessons && i < G_N_ELEMENTS(steps); i++)
    if (strcmp(steps[i], experiment->name) == 0)
      return i;
  return (guint)(G_N_ELEMENTS(steps) + (ms_study_find(experiment->study) - studies));
}

static int
compare_places(gconstpointer a, gconstpointer b, gpointer lessons)
{
  const MsExperiment *one = *(MsExperiment *const *)a, *other = *(MsExperiment *const *)b;
  const guint x = place_of(one, lessons != NULL), y = place_of(other, lessons != NULL);

  return x != y ? (x < y ? -1 : 1) : strcmp(one->name, other->name);
}

/** ms_experiment_order: (transfer full): the experiments of the program, study after study; @lessons: as Learn does. */
GPtrArray *
ms_experiment_order(gboolean lessons, GError **error)
{
  GPtrArray *all = ms_experiment_list(error);

  if (all)
    g_ptr_array_sort_with_data(all, compare_places, lessons ? all : NULL);
  return all;
}

/* The words */

/**
 * ms_experiment_status: (transfer full): "agrees, 14:05" of the newest report, or its date if it is of another day.
 * @report: (nullable)
 */
char *
ms_experiment_status(const MsReport *report)
{
  if (!report)
    return g_strdup(_("not run yet"));
  g_autoptr(GDateTime) utc = g_date_time_new_from_iso8601(report->date, NULL);
  g_autoptr(GDateTime) here = utc ? g_date_time_to_local(utc) : NULL;
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  const gboolean today = here && g_date_time_get_year(here) == g_date_time_get_year(now) &&
                         g_date_time_get_day_of_year(here) == g_date_time_get_day_of_year(now);
  g_autofree char *time = here ? g_date_time_format(here, today ? "%H:%M" : "%x") : g_strdup(report->date);
  const char *status = !report->complete                  ? N_("not finished")
                       : report->experiment->expects->len ? ms_finding_verdict_name(ms_report_judge(report))
                                                          : N_("measured");

  return g_strdup_printf("%s, %s", _(status), time);
}

static gboolean
contains(const char *text, const char *part)
{
  g_autofree char *folded = g_utf8_casefold(text ? text : "", -1);

  return strstr(folded, part) != NULL;
}

/**
 * ms_experiment_speaks_of: whether a search finds @experiment.
 * @report: (nullable): the newest of it
 * @part: of the title, name, study, texts or status, case-folded
 */
gboolean
ms_experiment_speaks_of(const MsExperiment *experiment, const MsReport *report, const char *part)
{
  g_autofree char *status = ms_experiment_status(report);
  g_autofree char *folded = g_utf8_casefold(status, -1);

  return contains(ms_experiment_text(experiment->title, MS_LANGUAGE_USER), part) || contains(experiment->title, part) ||
         contains(experiment->name, part) || contains(experiment->study, part) ||
         contains(experiment->description, part) || contains(experiment->finding, part) ||
         g_str_has_prefix(folded, part);
}

static void
append_paragraph(GString *text, const char *heading, const char *body)
{
  if (!body || !*body)
    return;
  g_autofree char *line =
    heading ? g_markup_printf_escaped("<b>%s</b> %s", heading, body) : g_markup_printf_escaped("%s", body);
  g_string_append_printf(text, "%s%s", text->len > 0 ? "\n" : "", line);
}

static void
append_published(GString *text, const MsPublished *published)
{
  g_autofree char *where = ms_factors_to_string(published->where);

  g_string_append_printf(text, "%s%s: %s %.6g", text->len > 0 ? "; " : "", published->device, published->metric,
                         published->low);
  if (published->low != published->high)
    g_string_append_printf(text, "–%.6g", published->high);
  g_string_append_printf(text, " %s (%s)", published->unit, where);
}

/** ms_experiment_describe: (transfer full): Pango markup: what varies, what is fixed, what was found and published. */
char *
ms_experiment_describe(const MsExperiment *experiment, gboolean quick)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GString) published = g_string_new(NULL);
  g_autoptr(GPtrArray) configurations = ms_experiment_expand(experiment, quick);
  g_autofree char *axes = ms_experiment_describe_axes(experiment, quick);
  g_autofree char *fixed = ms_factors_to_string(experiment->fixed);
  g_autofree char *varies = g_strdup_printf(_("%s (%u configurations)"), axes, configurations->len);

  append_paragraph(text, NULL, ms_experiment_text(experiment->description, MS_LANGUAGE_USER));
  append_paragraph(text, _("Varies:"), varies);
  append_paragraph(text, _("Fixed:"), fixed);
  append_paragraph(text, _("Found:"), ms_experiment_text(experiment->finding, MS_LANGUAGE_USER));
  for (guint i = 0; i < experiment->published->len; i++)
    append_published(published, experiment->published->pdata[i]);
  append_paragraph(text, _("Published:"), published->str);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/** ms_experiment_describe_lesson: (transfer full): Pango markup: the paragraph for a student, and what is measured. */
char *
ms_experiment_describe_lesson(const MsExperiment *experiment)
{
  g_autoptr(GString) text = g_string_new(NULL);

  append_paragraph(text, NULL, ms_experiment_text(experiment->lesson, MS_LANGUAGE_USER));
  append_paragraph(text, _("Measured here:"), ms_experiment_text(experiment->description, MS_LANGUAGE_USER));
  return g_string_free(g_steal_pointer(&text), FALSE);
}
