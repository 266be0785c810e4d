/* SPDX-License-Identifier: MIT */
#include "core/lab/report/report.h"

#include <math.h>
#include <string.h>

#include "core/text.h"

static void
free_row(gpointer data)
{
  MsReportRow *row = data;

  ms_factors_free(row->factors);
  g_free(row->label);
  g_free(row->group);
  ms_measurement_free(row->measurement);
  g_ptr_array_unref(row->published);
  g_free(row);
}

/**
 * ms_report_new:
 * @experiment: (transfer none): the experiment; the report keeps a reference
 *
 * Returns: (transfer full): a report without rows, dated now
 */
MsReport *
ms_report_new(MsExperiment *experiment)
{
  MsReport *self = g_atomic_rc_box_new0(MsReport);
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();

  self->experiment = ms_experiment_ref(experiment);
  self->date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  self->rows = g_ptr_array_new_with_free_func(free_row);
  self->noise = 0.01;
  self->device.peak_read_gb_per_s = NAN;
  self->device.peak_copy_gb_per_s = NAN;
  return self;
}

MsReport *
ms_report_ref(MsReport *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear_report(gpointer data)
{
  MsReport *self = data;

  ms_experiment_unref(self->experiment);
  g_free(self->device.name);
  g_free(self->device.platform);
  g_free(self->device.driver);
  g_free(self->device.type);
  g_free(self->program_version);
  g_free(self->sources);
  g_free(self->compiler);
  g_free(self->date);
  g_free(self->input);
  g_clear_pointer(&self->winner, ms_factors_free);
  g_ptr_array_unref(self->rows);
}

void
ms_report_unref(MsReport *self)
{
  if (self)
    g_atomic_rc_box_release_full(self, clear_report);
}

/**
 * ms_report_add_row:
 * @factors: the configuration
 * @label: its name in tables
 * @group: equal for configurations that may be compared
 *
 * Returns: (transfer none): the row, its measurement pending
 */
MsReportRow *
ms_report_add_row(MsReport *self, const MsFactors *factors, const char *label, const char *group)
{
  MsReportRow *row = g_new0(MsReportRow, 1);

  row->report = self;
  row->factors = ms_factors_copy(factors);
  row->label = g_strdup(label);
  row->group = g_strdup(group);
  row->measurement = ms_measurement_new();
  row->summary = ms_statistics_summarise(NULL, 0);
  row->speedup = MS_SPEEDUP_UNKNOWN;
  row->published = ms_experiment_find_published(self->experiment, factors, self->quick);
  g_ptr_array_add(self->rows, row);
  return row;
}

/** ms_report_find_row: (transfer none) (nullable): the row of exactly these settings. */
MsReportRow *
ms_report_find_row(const MsReport *self, const MsFactors *factors)
{
  for (guint i = 0; i < self->rows->len; i++) {
    MsReportRow *row = self->rows->pdata[i];
    if (ms_factors_equal(row->factors, factors))
      return row;
  }
  return NULL;
}

/** ms_report_finish_row: derives the summary from the samples; call it when the measurement changed. */
void
ms_report_finish_row(MsReport *self, MsReportRow *row)
{
  row->summary = ms_measurement_summarise(row->measurement);
}

/**
 * ms_report_leaves_out: whether @row is not compared with others although it has a time: it was measured while the
 * device was throttled or other programs ran, and @self does not accept such rows.
 */
gboolean
ms_report_leaves_out(const MsReport *self, const MsReportRow *row)
{
  return !self->accept_disturbed && ms_measurement_is_disturbed(row->measurement);
}

static gboolean
is_ranked(const MsReport *self, const MsReportRow *row)
{
  return row->measurement->outcome == MS_OUTCOME_OK && row->measurement->samples->len > 0 &&
         !ms_report_leaves_out(self, row);
}

/* The row with the baseline's factors and otherwise those of @row. */
static MsReportRow *
find_same_baseline(const MsReport *self, const MsReportRow *row)
{
  g_autoptr(MsFactors) same = ms_factors_copy(row->factors);
  MsReportRow *found;

  ms_factors_merge(same, self->experiment->baseline);
  found = ms_report_find_row(self, same);
  return found && g_strcmp0(found->group, row->group) == 0 ? found : NULL;
}

/**
 * ms_report_find_baseline: (transfer none) (nullable): the row that @row is compared with, whether it has a time or
 * not; it can be @row itself.
 */
MsReportRow *
ms_report_find_baseline(const MsReport *self, const MsReportRow *row)
{
  const MsFactors *wanted = self->experiment->baseline;
  MsReportRow *same = wanted ? find_same_baseline(self, row) : NULL;

  if (same)
    return same;
  for (guint i = 0; i < self->rows->len; i++) {
    MsReportRow *other = self->rows->pdata[i];
    if (g_strcmp0(other->group, row->group) == 0 && (!wanted || ms_factors_contains(other->factors, wanted)))
      return other;
  }
  return NULL;
}

static MsSpeedup
speedup_over(const MsReport *self, const MsReportRow *baseline, const MsReportRow *row)
{
  MsTimes a = ms_measurement_times(baseline->measurement), b = ms_measurement_times(row->measurement);

  if (baseline == row)
    return (MsSpeedup){MS_VERDICT_SAME, 1, 1, 1};
  /* The configurations of a search ran one after the other. */
  return (self->space_size > 0 ? ms_speedup_apart : ms_speedup_side_by_side)(&a, &b, self->noise);
}

/** ms_report_rank: compares every verified row with the baseline of its group; the others get no verdict. */
void
ms_report_rank(MsReport *self)
{
  for (guint i = 0; i < self->rows->len; i++) {
    MsReportRow *row = self->rows->pdata[i];
    MsReportRow *baseline = is_ranked(self, row) ? ms_report_find_baseline(self, row) : NULL;
    gboolean known = baseline && is_ranked(self, baseline);
    row->baseline = known && baseline == row;
    row->speedup = known ? speedup_over(self, baseline, row) : MS_SPEEDUP_UNKNOWN;
  }
}

/** ms_report_first_message: (transfer full): why the first row that failed did, in one line, or an empty text. */
char *
ms_report_first_message(const MsReport *self)
{
  for (guint i = 0; i < self->rows->len; i++) {
    const MsMeasurement *m = ((MsReportRow *)self->rows->pdata[i])->measurement;
    if (m->message)
      return g_strndup(m->message, strcspn(m->message, "\n"));
  }
  return g_strdup("");
}

/** ms_report_count: the number of rows with this outcome. */
guint
ms_report_count(const MsReport *self, MsOutcome outcome)
{
  guint n = 0;

  for (guint i = 0; i < self->rows->len; i++)
    n += ((MsReportRow *)self->rows->pdata[i])->measurement->outcome == outcome;
  return n;
}

/** ms_report_has_published: whether a study has published a value of any row. */
gboolean
ms_report_has_published(const MsReport *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (((const MsReportRow *)self->rows->pdata[i])->published->len > 0)
      return TRUE;
  return FALSE;
}

/** ms_report_energy_source: (nullable): the counter that energy was read from. */
const char *
ms_report_energy_source(const MsReport *self)
{
  for (guint i = 0; i < self->rows->len; i++) {
    const MsMeasurement *m = ((const MsReportRow *)self->rows->pdata[i])->measurement;
    if (m->energy_source)
      return m->energy_source;
  }
  return NULL;
}

/** ms_reports_find: (transfer none) (nullable): the first report of this experiment among @reports. */
MsReport *
ms_reports_find(GPtrArray *reports, const char *experiment)
{
  for (guint i = 0; i < reports->len; i++)
    if (strcmp(((MsReport *)reports->pdata[i])->experiment->name, experiment) == 0)
      return reports->pdata[i];
  return NULL;
}
