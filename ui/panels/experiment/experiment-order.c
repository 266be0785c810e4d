/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/experiment-order.h"

#include <glib/gi18n-lib.h>
#include <string.h>

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
