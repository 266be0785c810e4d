/* SPDX-License-Identifier: MIT */
#include "core/lab/report/compare.h"

#include <math.h>

#include "core/lab/report/report-column.h"
#include "core/text.h"

static void
free_row(gpointer data)
{
  MsComparisonRow *row = data;

  g_free(row->label);
  ms_factors_free(row->factors);
  g_free(row->note);
  g_free(row);
}

void
ms_comparison_free(MsComparison *self)
{
  if (!self)
    return;
  g_free(self->experiment);
  g_free(self->warning);
  g_ptr_array_unref(self->rows);
  g_free(self);
}

static char *
find_warning(const MsReport *a, const MsReport *b)
{
  if (g_strcmp0(a->device.name, b->device.name) != 0)
    return g_strdup_printf("The baseline was measured on another device (%s).", a->device.name);
  if (g_strcmp0(a->device.driver, b->device.driver) != 0)
    return g_strdup_printf("The baseline was measured with another driver (%s).", a->device.driver);
  if (a->quick != b->quick)
    return g_strdup("One of the two was measured at the scaled-down sizes.");
  if (g_strcmp0(a->input, b->input) != 0)
    return g_strdup_printf("The baseline was measured on another input (%s).", a->input ? a->input : "generated");
  return NULL;
}

static void
count_verdict(MsComparison *self, const MsComparisonRow *row)
{
  guint *counters[] = {[MS_VERDICT_UNCERTAIN] = &self->uncertain,
                       [MS_VERDICT_SAME] = &self->same,
                       [MS_VERDICT_FASTER] = &self->faster,
                       [MS_VERDICT_SLOWER] = &self->slower};

  if (row->note)
    self->missing++;
  else
    (*counters[row->speedup.verdict])++;
}

static MsComparisonRow *
compare_rows(const MsReport *baseline, const MsReportRow *new, double noise)
{
  MsComparisonRow *row = g_new0(MsComparisonRow, 1);
  const MsReportRow *old = ms_report_find_row(baseline, new->factors);

  row->label = g_strdup(new->label);
  row->factors = ms_factors_copy(new->factors);
  row->current_ns = new->summary.median;
  row->baseline_ns = old ? old->summary.median : NAN;
  row->speedup = MS_SPEEDUP_UNKNOWN;
  if (!old)
    row->note = g_strdup("not in the baseline");
  else if (old->measurement->outcome != MS_OUTCOME_OK)
    row->note = g_strdup_printf("the baseline has no time (%s)", ms_outcome_names[old->measurement->outcome]);
  else if (new->measurement->outcome != MS_OUTCOME_OK)
    row->note = g_strdup_printf("no time now (%s)", ms_outcome_names[new->measurement->outcome]);
  else if (!isfinite(row->baseline_ns) || !isfinite(row->current_ns))
    row->note = g_strdup(isfinite(row->current_ns) ? "the baseline has no time" : "no time now");
  if (row->note)
    return row;
  const MsTimes before = ms_measurement_times(old->measurement), after = ms_measurement_times(new->measurement);
  row->speedup = ms_speedup_apart(&before, &after, noise);
  return row;
}

/**
 * ms_compare_reports:
 * @baseline: an earlier report
 * @current: the report to judge
 * @noise: relative difference that counts as equal
 *
 * Shows what a new device, driver or build changes. The reports are apart in time, so that the intervals do not know
 * by how much the machine has changed, see ms_speedup_apart(), which the text says.
 *
 * Returns: (transfer full): one row for each configuration of @current; a row that lacks a time has a note with the
 *   reason
 */
MsComparison *
ms_compare_reports(const MsReport *baseline, const MsReport *current, double noise)
{
  MsComparison *self = g_new0(MsComparison, 1);

  self->experiment = g_strdup(current->experiment->name);
  self->warning = find_warning(baseline, current);
  self->rows = g_ptr_array_new_with_free_func(free_row);
  for (guint i = 0; i < current->rows->len; i++) {
    g_ptr_array_add(self->rows, compare_rows(baseline, current->rows->pdata[i], noise));
    count_verdict(self, self->rows->pdata[i]);
  }
  return self;
}

/**
 * ms_compare_all:
 * @baseline: (element-type MsReport): the earlier reports
 * @reports: (element-type MsReport): the new reports
 * @noise: relative difference that counts as equal
 *
 * Returns: (transfer full) (element-type MsComparison): one for each report whose experiment is in the baseline
 */
GPtrArray *
ms_compare_all(GPtrArray *baseline, GPtrArray *reports, double noise)
{
  GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)ms_comparison_free);

  for (guint i = 0; i < reports->len; i++) {
    MsReport *report = reports->pdata[i];
    MsReport *earlier = ms_reports_find(baseline, report->experiment->name);
    if (earlier)
      g_ptr_array_add(all, ms_compare_reports(earlier, report, noise));
  }
  return all;
}

/** ms_comparisons_judged: the number of configurations that the baseline has a time of, too. */
guint
ms_comparisons_judged(GPtrArray *comparisons)
{
  guint judged = 0;

  for (guint i = 0; i < comparisons->len; i++) {
    const MsComparison *one = comparisons->pdata[i];
    judged += one->rows->len - one->missing;
  }
  return judged;
}

/** ms_comparisons_slower: whether anything got slower beyond the noise. */
gboolean
ms_comparisons_slower(GPtrArray *comparisons)
{
  for (guint i = 0; i < comparisons->len; i++)
    if (((MsComparison *)comparisons->pdata[i])->slower > 0)
      return TRUE;
  return FALSE;
}

static void
append_row(GString *text, const MsComparisonRow *row)
{
  if (row->note) {
    g_string_append_printf(text, "  %s: %s\n", row->label, row->note);
    return;
  }
  g_autofree char *old = ms_number_text(row->baseline_ns * 1e-6);
  g_autofree char *new = ms_number_text(row->current_ns * 1e-6);
  g_autofree char *ratio = ms_ratio_text(row->speedup.ratio, row->speedup.low, row->speedup.high);
  g_string_append_printf(text, "  %s: %s ms, was %s ms: %s, %s\n", row->label, new, old, ratio,
                         ms_verdict_describe(row->speedup.verdict));
}

/** ms_comparison_to_text: (transfer full): a summary and one line for each configuration. */
char *
ms_comparison_to_text(const MsComparison *self)
{
  g_autoptr(GString) text = g_string_new(NULL);

  g_string_append_printf(text, "%s against the baseline: %u faster, %u slower, %u the same, %u uncertain",
                         self->experiment, self->faster, self->slower, self->same, self->uncertain);
  if (self->missing)
    g_string_append_printf(text, ", %u without two times", self->missing);
  g_string_append_c(text, '\n');
  if (self->warning)
    g_string_append_printf(text, "  Caution: %s\n", self->warning);
  g_string_append(text, "  Caution: The machine's drift between the two runs is not known.\n");
  for (guint i = 0; i < self->rows->len; i++)
    append_row(text, self->rows->pdata[i]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
