/* SPDX-License-Identifier: MIT */
#include "core/lab/report/compare.h"

#include <math.h>

#include "core/number.h"

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

static MsSpeedup
speedup_of(const MsReport *baseline, const MsReportRow *old, const MsReport *current, const MsReportRow *new,
           double noise)
{
  MsTimes before = ms_measurement_times(old->measurement), after = ms_measurement_times(new->measurement);
  MsTimes old_anchor = ms_report_get_anchor(baseline, old->group),
          new_anchor = ms_report_get_anchor(current, new->group);
  MsSpeedup speedup = ms_speedup_anchored(&before, &old_anchor, &after, &new_anchor, noise);

  if (!isfinite(speedup.ratio))
    speedup.ratio = old->summary.median / new->summary.median;
  return speedup;
}

static MsComparisonRow *
compare_rows(const MsReport *baseline, const MsReport *current, const MsReportRow *new, double noise)
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
    row->note = g_strdup_printf("the baseline has no time (%s)", ms_outcome_to_string(old->measurement->outcome));
  else if (new->measurement->outcome != MS_OUTCOME_OK)
    row->note = g_strdup_printf("no time now (%s)", ms_outcome_to_string(new->measurement->outcome));
  else
    row->speedup = speedup_of(baseline, old, current, new, noise);
  return row;
}

/**
 * ms_compare_reports:
 * @baseline: an earlier report
 * @current: the report to judge
 * @noise: relative difference that counts as equal
 *
 * The reports are apart in time, so the change of the anchor that both measured is removed, see ms_speedup_anchored().
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
    MsComparisonRow *row = compare_rows(baseline, current, current->rows->pdata[i], noise);
    g_ptr_array_add(self->rows, row);
    count_verdict(self, row);
  }
  return self;
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
  g_autofree char *ratio = ms_number_text(row->speedup.ratio);
  g_autofree char *low = ms_number_text(row->speedup.low);
  g_autofree char *high = ms_number_text(row->speedup.high);
  g_string_append_printf(text, "  %s: %s ms, was %s ms: %s× [%s–%s], %s\n", row->label, new, old, ratio, low, high,
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
  for (guint i = 0; i < self->rows->len; i++)
    append_row(text, self->rows->pdata[i]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
