/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/experiment-details.h"

#include <glib/gi18n-lib.h>

static void
append_paragraph(GString *text, const char *heading, const char *body)
{
  if (!body || !*body)
    return;
  g_autofree char *line =
    heading ? g_markup_printf_escaped("<b>%s</b> %s", heading, body) : g_markup_printf_escaped("%s", body);
  g_string_append_printf(text, "%s%s", text->len > 0 ? "\n" : "", line);
}

static char *
number(double value)
{
  return g_strdup_printf("%.6g", value);
}

static void
append_published(GString *text, const MsPublished *published)
{
  g_autofree char *where = ms_factors_to_string(published->where);
  g_autofree char *low = number(published->low);
  g_autofree char *high = number(published->high);
  gboolean range = published->low != published->high;

  g_string_append_printf(text, "%s%s: %s %s%s%s %s (%s)", text->len > 0 ? "; " : "", published->device,
                         published->metric, low, range ? "–" : "", range ? high : "", published->unit, where);
}

/** ms_experiment_details: (transfer full): Pango markup */
char *
ms_experiment_details(const MsExperiment *experiment, gboolean quick)
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

/** ms_experiment_lesson: (transfer full): Pango markup: what is measured, and the study's finding in one sentence */
char *
ms_experiment_lesson(const MsExperiment *experiment)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *finding =
    g_markup_printf_escaped("<big>%s</big>\n", ms_experiment_text(experiment->finding, MS_LANGUAGE_USER));

  g_string_append(text, finding);
  append_paragraph(text, _("Measured here:"), ms_experiment_text(experiment->description, MS_LANGUAGE_USER));
  return g_string_free(g_steal_pointer(&text), FALSE);
}
