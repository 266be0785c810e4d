/* SPDX-License-Identifier: MIT */
#include "ui/panels/compare/compare-plan.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static void
clear_choice(gpointer data)
{
  g_strfreev(((MsCompareChoice *)data)->values);
}

/** ms_compare_choices_new: (transfer full) (element-type MsCompareChoice): an empty list */
GArray *
ms_compare_choices_new(void)
{
  GArray *choices = g_array_new(FALSE, FALSE, sizeof(MsCompareChoice));

  g_array_set_clear_func(choices, clear_choice);
  return choices;
}

void
ms_compare_choices_add(GArray *choices, const MsOptionInfo *option, const char *const *values)
{
  MsCompareChoice choice = {option, g_strdupv((char **)values)};

  g_array_append_val(choices, choice);
}

static MsExperiment *
new_experiment(MsCompareMode mode)
{
  const char *title = mode == MS_COMPARE_ONE_AT_A_TIME ? _("One toggle at a time") : _("All combinations of toggles");

  return ms_experiment_new("compare", title, "mean-shift");
}

/* Every option is fixed at its current value; cases and axes override it. */
static void
fix_current(MsExperiment *experiment, const MsSettings *current)
{
  const MsOptionInfo *table = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], current);
    ms_factors_set(experiment->fixed, table[i].name, value);
  }
}

static void
add_single_changes(MsExperiment *experiment, const MsSettings *current, const MsCompareChoice *choice)
{
  g_autofree char *now = ms_option_get_text(choice->option, current);

  for (char **value = choice->values; *value; value++) {
    if (strcmp(*value, now) == 0)
      continue;
    g_autoptr(MsFactors) change = ms_factors_new();
    g_autofree char *name = g_strdup_printf("%s %s", choice->option->name, *value);
    ms_factors_set(change, choice->option->name, *value);
    ms_experiment_add_case(experiment, name, change);
  }
}

static void
add_axes(MsExperiment *experiment, const MsSettings *current, GArray *choices)
{
  g_autoptr(MsFactors) baseline = ms_factors_new();
  gboolean contained = TRUE;

  for (guint i = 0; i < choices->len; i++) {
    const MsCompareChoice *choice = &g_array_index(choices, MsCompareChoice, i);
    g_autofree char *now = ms_option_get_text(choice->option, current);
    if (!choice->values[0])
      continue;
    ms_experiment_add_axis(experiment, choice->option->name, (const char *const *)choice->values, NULL);
    ms_factors_set(baseline, choice->option->name, now);
    contained = contained && g_strv_contains((const char *const *)choice->values, now);
  }
  if (contained && ms_factors_size(baseline) > 0)
    ms_experiment_set_baseline(experiment, baseline);
}

/**
 * ms_compare_experiment:
 * @current: the values of all options that do not vary
 * @choices: (element-type MsCompareChoice): the values to try
 *
 * Returns: (transfer full): an experiment of kind mean-shift. The current settings are the first case and the baseline;
 *   with all combinations, the baseline is the current settings if they are among them, otherwise the first
 *   combination.
 */
MsExperiment *
ms_compare_experiment(const MsSettings *current, GArray *choices, MsCompareMode mode)
{
  MsExperiment *experiment = new_experiment(mode);
  g_autoptr(MsFactors) nothing = ms_factors_new();

  fix_current(experiment, current);
  if (mode == MS_COMPARE_ALL_COMBINATIONS) {
    add_axes(experiment, current, choices);
    return experiment;
  }
  ms_experiment_add_case(experiment, "current settings", nothing);
  for (guint i = 0; i < choices->len; i++)
    add_single_changes(experiment, current, &g_array_index(choices, MsCompareChoice, i));
  return experiment;
}

/** ms_compare_count: the number of configurations of that experiment. */
guint
ms_compare_count(const MsSettings *current, GArray *choices, MsCompareMode mode)
{
  g_autoptr(MsExperiment) experiment = ms_compare_experiment(current, choices, mode);
  g_autoptr(GPtrArray) all = ms_experiment_expand(experiment, FALSE);

  return all->len;
}
