/* SPDX-License-Identifier: MIT */
#include "core/lab/report/report.h"

#include <math.h>

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

static gpointer
copy_row(gconstpointer source, gpointer data)
{
  const MsReportRow *row = source;
  MsReportRow *copy = g_memdup2(row, sizeof *copy);

  copy->factors = ms_factors_copy(row->factors);
  copy->label = g_strdup(row->label);
  copy->group = g_strdup(row->group);
  copy->measurement = ms_measurement_copy(row->measurement);
  copy->published = g_ptr_array_ref(row->published);
  return copy;
}

/**
 * ms_report_snapshot:
 * @self: a report that a thread still adds to; call it from that thread
 *
 * Returns: (transfer full): what is known now, ranked, for another thread: it shares nothing with @self that changes
 */
MsReport *
ms_report_snapshot(const MsReport *self)
{
  MsReport *copy = g_atomic_rc_box_alloc(sizeof *copy);

  *copy = *self;

  ms_experiment_ref(self->experiment);
  copy->device.name = g_strdup(self->device.name);
  copy->device.platform = g_strdup(self->device.platform);
  copy->device.driver = g_strdup(self->device.driver);
  copy->device.type = g_strdup(self->device.type);
  copy->program_version = g_strdup(self->program_version);
  copy->date = g_strdup(self->date);
  copy->input = g_strdup(self->input);
  copy->rows = g_ptr_array_copy(self->rows, copy_row, NULL);
  ms_report_rank(copy);
  return copy;
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
  g_free(self->date);
  g_free(self->input);
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

  row->factors = ms_factors_copy(factors);
  row->label = g_strdup(label);
  row->group = g_strdup(group);
  row->measurement = ms_measurement_new();
  row->summary = ms_statistics_summarise(NULL, 0);
  row->speedup = (MsSpeedup){MS_VERDICT_UNCERTAIN, NAN, 0, INFINITY};
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

static gboolean
is_ranked(const MsReportRow *row)
{
  return row->measurement->outcome == MS_OUTCOME_OK && row->measurement->samples->len > 0;
}

/* The row with the baseline's factors and otherwise those of @row. */
static MsReportRow *
twin_baseline(MsReport *self, const MsReportRow *row)
{
  g_autoptr(MsFactors) twin = ms_factors_copy(row->factors);
  MsReportRow *found;

  ms_factors_merge(twin, self->experiment->baseline);
  found = ms_report_find_row(self, twin);
  return found && g_strcmp0(found->group, row->group) == 0 ? found : NULL;
}

static MsReportRow *
find_baseline(MsReport *self, const MsReportRow *row)
{
  const MsFactors *wanted = self->experiment->baseline;
  MsReportRow *twin = wanted ? twin_baseline(self, row) : NULL;

  if (twin)
    return is_ranked(twin) ? twin : NULL;
  for (guint i = 0; i < self->rows->len; i++) {
    MsReportRow *other = self->rows->pdata[i];
    if (g_strcmp0(other->group, row->group) != 0 || (wanted && !ms_factors_contains(other->factors, wanted)))
      continue;
    return is_ranked(other) ? other : NULL;
  }
  return NULL;
}

/** ms_report_rank: compares every verified row with the baseline of its group; the others get no verdict. */
void
ms_report_rank(MsReport *self)
{
  for (guint i = 0; i < self->rows->len; i++) {
    MsReportRow *row = self->rows->pdata[i];
    MsReportRow *baseline = is_ranked(row) ? find_baseline(self, row) : NULL;
    row->baseline = baseline == row;
    if (!baseline) {
      row->speedup = (MsSpeedup){MS_VERDICT_UNCERTAIN, NAN, 0, INFINITY};
      continue;
    }
    GArray *a = baseline->measurement->samples, *b = row->measurement->samples;
    row->speedup =
      ms_statistics_speedup((const double *)a->data, a->len, (const double *)b->data, b->len, self->noise, self->seed);
    if (row->baseline)
      row->speedup = (MsSpeedup){MS_VERDICT_SAME, 1, 1, 1};
  }
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
