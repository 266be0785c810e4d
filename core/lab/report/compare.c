/* SPDX-License-Identifier: MIT */
#include "core/lab/report/compare.h"

#include <math.h>

#include "core/text.h"

/*
 * Relative standard deviation of two runs of one program on a quiet machine, without which none is called different;
 * a few rows can scatter less by chance.
 */
#define LEAST_DRIFT 0.01

/* Among fewer rows one that is changed cannot be told from scatter, of which no more than this is assumed then. */
#define FEWEST_ROWS 4
#define MOST_DRIFT_OF_FEW 0.1

/* Share of the change that all rows have in common by which the intervals are widened. */
#define COMMON_DOUBT 0.5

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

static gboolean
differ(const MsReport *a, const MsReport *b)
{
  return g_strcmp0(a->device.name, b->device.name) != 0 || g_strcmp0(a->device.driver, b->device.driver) != 0;
}

static char *
find_warning(const MsReport *a, const MsReport *b)
{
  if (g_strcmp0(a->device.name, b->device.name) != 0)
    return g_strdup_printf("The baseline was measured on another device (%s): the ratios are those of the medians, "
                           "without a verdict.",
                           a->device.name);
  if (g_strcmp0(a->device.driver, b->device.driver) != 0)
    return g_strdup_printf("The baseline was measured with another driver (%s): the ratios are those of the medians, "
                           "without a verdict.",
                           a->device.driver);
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
  else if (self->across)
    self->unjudged++;
  else
    (*counters[row->speedup.verdict])++;
}

/* The anchor of another device or driver is other work, so that only the medians themselves can be divided. */
static void
compare_times(MsComparisonRow *row, const MsReport *baseline, const MsReportRow *old, const MsReport *current,
              const MsReportRow *new, double noise)
{
  MsTimes before = ms_measurement_times(old->measurement), after = ms_measurement_times(new->measurement);
  MsTimes old_anchor = ms_report_get_anchor(baseline, old->group),
          new_anchor = ms_report_get_anchor(current, new->group);

  if (!differ(baseline, current)) {
    row->baseline_anchor_ns = ms_times_median(&old_anchor);
    row->current_anchor_ns = ms_times_median(&new_anchor);
    row->speedup = ms_speedup_anchored(&before, &old_anchor, &after, &new_anchor, noise);
  }
  if (!isfinite(row->speedup.ratio))
    row->speedup.ratio = row->baseline_ns / row->current_ns;
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
  row->baseline_anchor_ns = row->current_anchor_ns = NAN;
  row->speedup = MS_SPEEDUP_UNKNOWN;
  if (!old)
    row->note = g_strdup("not in the baseline");
  else if (old->measurement->outcome != MS_OUTCOME_OK)
    row->note = g_strdup_printf("the baseline has no time (%s)", ms_outcome_names[old->measurement->outcome]);
  else if (new->measurement->outcome != MS_OUTCOME_OK)
    row->note = g_strdup_printf("no time now (%s)", ms_outcome_names[new->measurement->outcome]);
  else if (!isfinite(row->baseline_ns) || !isfinite(row->current_ns))
    row->note = g_strdup(isfinite(row->current_ns) ? "the baseline has no time" : "no time now");
  else
    compare_times(row, baseline, old, current, new, noise);
  return row;
}

/*
 * Two runs of an unchanged program differ by more than the samples of each show: other addresses, other neighbours on
 * the machine. How much is seen in all rows together: they scatter about a common change by it. Half of the common
 * change is doubted as well, since work that the anchor does not resemble changes with the machine in its own way.
 */
static void
allow_for_drift(MsComparison *self, double noise)
{
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(double));

  for (guint i = 0; i < self->rows->len; i++) {
    const MsComparisonRow *row = self->rows->pdata[i];
    const double change = log(row->speedup.ratio);
    if (isfinite(row->speedup.high) && isfinite(change))
      g_array_append_val(changes, change);
  }
  const double *values = (const double *)changes->data;
  const double common = changes->len > 0 ? ms_statistics_quantile(values, changes->len, 0.5) : 0;
  const double seen = ms_statistics_scatter(values, changes->len), doubt = COMMON_DOUBT * fabs(common);
  const double scatter = changes->len < FEWEST_ROWS ? MIN(seen, MOST_DRIFT_OF_FEW) : seen;
  self->drift = MAX(scatter, LEAST_DRIFT);
  for (guint i = 0; i < self->rows->len; i++) {
    MsComparisonRow *row = self->rows->pdata[i];
    if (!isfinite(row->speedup.high))
      continue;
    const MsSpeedup narrow = ms_speedup_widen(&row->speedup, doubt, scatter, noise);
    row->speedup =
      narrow.verdict == MS_VERDICT_SAME ? narrow : ms_speedup_widen(&row->speedup, doubt, self->drift, noise);
  }
}

/**
 * ms_compare_reports:
 * @baseline: an earlier report
 * @current: the report to judge
 * @noise: relative difference that counts as equal
 *
 * The reports are apart in time, so the change of the anchor that both measured is removed, see ms_speedup_anchored(),
 * and the interval knows how much runs of one program differ. Reports of two devices or drivers are not judged.
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
  self->across = differ(baseline, current);
  self->rows = g_ptr_array_new_with_free_func(free_row);
  for (guint i = 0; i < current->rows->len; i++)
    g_ptr_array_add(self->rows, compare_rows(baseline, current, current->rows->pdata[i], noise));
  allow_for_drift(self, noise);
  for (guint i = 0; i < self->rows->len; i++)
    count_verdict(self, self->rows->pdata[i]);
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

/**
 * ms_comparisons_judged: the number of configurations that the baseline has a time of, too, on the same device with
 * the same driver.
 */
guint
ms_comparisons_judged(GPtrArray *comparisons)
{
  guint judged = 0;

  for (guint i = 0; i < comparisons->len; i++) {
    const MsComparison *one = comparisons->pdata[i];
    judged += one->rows->len - one->missing - one->unjudged;
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

/* The two numbers that the ratio is made of: each time with that of the anchor in its rounds. */
static void
append_times(GString *text, const MsComparisonRow *row)
{
  g_autofree char *old = ms_number_text(row->baseline_ns * 1e-6);
  g_autofree char *new = ms_number_text(row->current_ns * 1e-6);

  g_string_append_printf(text, "  %s: %s ms", row->label, new);
  if (!isfinite(row->baseline_anchor_ns) || !isfinite(row->current_anchor_ns)) {
    g_string_append_printf(text, ", was %s ms", old);
    return;
  }
  g_autofree char *old_anchor = ms_number_text(row->baseline_anchor_ns * 1e-6);
  g_autofree char *new_anchor = ms_number_text(row->current_anchor_ns * 1e-6);
  g_string_append_printf(text, " at an anchor of %s ms, was %s ms at %s ms", new_anchor, old, old_anchor);
}

static void
append_row(GString *text, const MsComparisonRow *row, gboolean across)
{
  if (row->note) {
    g_string_append_printf(text, "  %s: %s\n", row->label, row->note);
    return;
  }
  g_autofree char *ratio = ms_number_text(row->speedup.ratio);
  append_times(text, row);
  g_string_append_printf(text, ": %s×", ratio);
  if (isfinite(row->speedup.high)) {
    g_autofree char *low = ms_number_text(row->speedup.low);
    g_autofree char *high = ms_number_text(row->speedup.high);
    g_string_append_printf(text, " [%s–%s]", low, high);
  }
  g_string_append_printf(text, "%s%s\n", across ? "" : ", ", across ? "" : ms_verdict_describe(row->speedup.verdict));
}

/** ms_comparison_to_text: (transfer full): a summary and one line for each configuration. */
char *
ms_comparison_to_text(const MsComparison *self)
{
  g_autoptr(GString) text = g_string_new(NULL);

  g_string_append_printf(text, "%s against the baseline: ", self->experiment);
  if (self->across)
    g_string_append_printf(text, "%u not judged", self->unjudged);
  else
    g_string_append_printf(text, "%u faster, %u slower, %u the same, %u uncertain", self->faster, self->slower,
                           self->same, self->uncertain);
  if (self->missing)
    g_string_append_printf(text, ", %u without two times", self->missing);
  g_string_append_c(text, '\n');
  if (self->warning)
    g_string_append_printf(text, "  Caution: %s\n", self->warning);
  if (!self->across && self->rows->len > self->missing) {
    g_autofree char *drift = ms_number_text(100 * self->drift);
    g_string_append_printf(text, "  The intervals allow for %s %% by which runs apart in time differ here.\n", drift);
  }
  for (guint i = 0; i < self->rows->len; i++)
    append_row(text, self->rows->pdata[i], self->across);
  return g_string_free(g_steal_pointer(&text), FALSE);
}
