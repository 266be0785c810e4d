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
  return ms_speedup_side_by_side(&a, &b, self->noise);
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

/* Resuming an interrupted run */

/*
 * Whether two reports are of the same device, driver, sizes, input and version, so that their rows can be mixed, and
 * the old one has the optional columns of the new one.
 */
static gboolean
fits(const MsReport *old, const MsReport *new)
{
  return old->quick == new->quick && (new->experiment->columns & ~old->experiment->columns) == 0 &&
         g_strcmp0(old->device.name, new->device.name) == 0 && g_strcmp0(old->device.driver, new->device.driver) == 0 &&
         g_strcmp0(old->sources, new->sources) == 0 && g_strcmp0(old->input, new->input) == 0 &&
         g_strcmp0(old->program_version, new->program_version) == 0;
}

static MsReportRow *
find_measured(const MsReport *earlier, const MsReportRow *row)
{
  MsReportRow *known = ms_report_find_row(earlier, row->factors);

  return known && known->measurement->outcome != MS_OUTCOME_PENDING ? known : NULL;
}

static void
take_row(MsReportRow *row, MsReportRow *old)
{
  MsMeasurement *fresh = row->measurement;

  row->measurement = old->measurement;
  row->summary = old->summary;
  old->measurement = fresh;
}

/**
 * ms_resume_find:
 * @report: the report about to be measured
 * @folder: (nullable): the report folder
 *
 * Returns: (transfer full) (nullable): the report of the same experiment, device, driver, input, sizes and version of
 *   the program, and with all columns that are asked for, finished or not; an unreadable file counts as none
 */
MsReport *
ms_resume_find(const MsReport *report, const char *folder)
{
  g_autofree char *name = ms_file_name(report->experiment->name);
  g_autofree char *file = g_strconcat(name, ".json", NULL);
  g_autofree char *path = folder ? g_build_filename(folder, file, NULL) : NULL;
  g_autoptr(MsReport) earlier = path ? ms_report_load(path, NULL) : NULL;

  return earlier && fits(earlier, report) ? g_steal_pointer(&earlier) : NULL;
}

/**
 * ms_resume_is_finished: whether @earlier is complete and has every row of @report; an edited experiment may have added
 * some.
 */
gboolean
ms_resume_is_finished(const MsReport *earlier, const MsReport *report)
{
  if (!earlier->complete)
    return FALSE;
  for (guint i = 0; i < report->rows->len; i++)
    if (!find_measured(earlier, report->rows->pdata[i]))
      return FALSE;
  return TRUE;
}

/* Rows are compared within rounds, so a group that was not finished is measured again as a whole. */
static gboolean
group_is_finished(const MsReport *earlier, const MsReport *report, const char *group)
{
  for (guint i = 0; i < report->rows->len; i++) {
    const MsReportRow *row = report->rows->pdata[i];
    if (g_strcmp0(row->group, group) == 0 && !find_measured(earlier, row))
      return FALSE;
  }
  return TRUE;
}

/** ms_resume_take_rows: moves the finished groups of @earlier to the rows of @report with the same factors. */
void
ms_resume_take_rows(MsReport *report, MsReport *earlier)
{
  g_autoptr(GPtrArray) finished = g_ptr_array_new();

  for (guint i = 0; i < report->rows->len; i++) {
    MsReportRow *row = report->rows->pdata[i];
    if (group_is_finished(earlier, report, row->group))
      g_ptr_array_add(finished, row);
  }
  for (guint i = 0; i < finished->len; i++) {
    MsReportRow *row = finished->pdata[i];
    take_row(row, find_measured(earlier, row));
  }
}
