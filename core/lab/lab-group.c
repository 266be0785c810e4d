/* SPDX-License-Identifier: MIT */
#include "core/lab/lab-private.h"

#include "core/error.h"
#include "core/lab/kinds/anchor.h"

/** ms_lab_kind_of: the kind of a configuration, or %NULL with #MS_ERROR_USAGE. */
const MsLabKind *
ms_lab_kind_of(const MsExperiment *experiment, const MsFactors *factors, GError **error)
{
  const char *name = ms_factors_get_or(factors, "kind", experiment->kind);
  const MsLabKind *kind = ms_lab_kind_find(name);

  if (!kind)
    ms_set_error(error, MS_ERROR_USAGE, "Experiment “%s” has an unknown kind, “%s”.", experiment->name, name);
  return kind;
}

/** ms_lab_report_progress: calls the caller's progress function with the fraction done. */
void
ms_lab_report_progress(MsLabRun *run, const MsReportRow *row, double fraction, const char *message)
{
  if (run->request->progress)
    run->request->progress(run->report, row, fraction, message, run->request->progress_data);
}

static void
measure_progress(double fraction, guint index, const MsMeasurement *measurement, gpointer data)
{
  MsLabRun *run = data;
  MsReportRow *row = run->group_rows->pdata[index];
  double total = run->report->rows->len;

  ms_report_finish_row(run->report, row);
  ms_lab_report_progress(run, row, (run->done + fraction * run->group_rows->len) / total, row->label);
}

/* What names a row, or the anchor of its group, in the journal. */
static char *
journal_key(const MsLabRun *run, const char *what, const MsFactors *factors)
{
  g_autofree char *text = ms_factors_to_string(factors);

  return g_strdup_printf("%s: %s%s", run->experiment->name, what, text);
}

/*
 * Makes the subject of a row. A configuration that the plan refuses ends the row, a malformed value the experiment.
 */
static gboolean
make_subject(MsLabRun *run, MsReportRow *row, MsSubject **subject, GError **error)
{
  g_autoptr(GError) local = NULL;
  const MsLabKind *kind = ms_lab_kind_of(run->experiment, row->factors, error);

  *subject = NULL;
  if (!kind)
    return FALSE;
  *subject = kind->create(run->bench, row->factors, row->label, &local);
  if (*subject) {
    (*subject)->key = journal_key(run, "", row->factors);
    return TRUE;
  }
  if (g_error_matches(local, MS_ERROR, MS_ERROR_USAGE)) {
    g_propagate_error(error, g_steal_pointer(&local));
    ms_prefix_error(error, "The experiment “%s”, %s: ", run->experiment->name, row->label);
    return FALSE;
  }
  ms_measurement_fail_with(row->measurement, local);
  return TRUE;
}

static void
finish_group(MsLabRun *run)
{
  for (guint i = 0; i < run->group_rows->len; i++)
    ms_report_finish_row(run->report, run->group_rows->pdata[i]);
  run->done += run->group_rows->len;
}

/* The subjects of one call of ms_measure(): the rows that can run, and after them the anchor. */
typedef struct {
  GPtrArray *rows;     /* MsReportRow, without the anchor */
  GPtrArray *subjects; /* MsSubject */
  GPtrArray *measurements;
} Group;

static void
group_init(Group *group)
{
  group->rows = g_ptr_array_new();
  group->subjects = g_ptr_array_new_with_free_func((GDestroyNotify)ms_subject_free);
  group->measurements = g_ptr_array_new();
}

static void
group_clear(Group *group)
{
  g_ptr_array_unref(group->rows);
  g_ptr_array_unref(group->subjects);
  g_ptr_array_unref(group->measurements);
}

static void
group_add(Group *group, MsSubject *subject, MsMeasurement *measurement)
{
  g_ptr_array_add(group->subjects, subject);
  g_ptr_array_add(group->measurements, measurement);
}

static gboolean
add_pending_rows(MsLabRun *run, Group *group, GError **error)
{
  for (guint i = 0; i < run->group_rows->len; i++) {
    MsReportRow *row = run->group_rows->pdata[i];
    MsSubject *subject;
    if (row->measurement->outcome != MS_OUTCOME_PENDING)
      continue;
    if (!make_subject(run, row, &subject, error))
      return FALSE;
    if (!subject)
      continue;
    group_add(group, subject, row->measurement);
    g_ptr_array_add(group->rows, row);
  }
  return TRUE;
}

static void
add_anchor(MsLabRun *run, Group *group)
{
  const MsReportRow *first = run->group_rows->pdata[0];
  MsMeasurement *measurement = ms_measurement_new();
  MsSubject *anchor = ms_lab_anchor_new(run->bench);

  anchor->key = journal_key(run, "the anchor of ", first->factors);
  g_hash_table_insert(run->report->anchors, g_strdup(first->group), measurement);
  group_add(group, anchor, measurement);
}

/* For each subject the index of its baseline, or its own index where the baseline does not run. */
static guint *
find_baselines(MsLabRun *run, Group *group)
{
  guint *baselines = g_new(guint, group->subjects->len);

  for (guint i = 0; i < group->subjects->len; i++) {
    MsReportRow *baseline = i < group->rows->len ? ms_report_find_baseline(run->report, group->rows->pdata[i]) : NULL;
    if (!baseline || !g_ptr_array_find(group->rows, baseline, &baselines[i]))
      baselines[i] = i;
  }
  return baselines;
}

static gboolean
measure_subjects(MsLabRun *run, Group *group, GError **error)
{
  g_autofree guint *baselines = find_baselines(run, group);
  GPtrArray *whole = run->group_rows;

  run->measure.baselines = baselines;
  run->measure.anchored = TRUE;
  run->group_rows = group->rows;
  run->measure.progress = measure_progress;
  run->measure.progress_data = run;
  const MsMeasureGroup measured = {(MsSubject **)group->subjects->pdata, (MsMeasurement **)group->measurements->pdata,
                                   group->subjects->len};
  gboolean good = ms_measure(&measured, &run->measure, run->cancellable, error);
  run->group_rows = whole;
  return good;
}

/** ms_lab_measure_group: measures the rows of a group interleaved, so that a change of the clock rate affects all. */
gboolean
ms_lab_measure_group(MsLabRun *run, GError **error)
{
  Group group;

  group_init(&group);
  gboolean good = add_pending_rows(run, &group, error);
  if (good && group.rows->len > 0) {
    add_anchor(run, &group);
    good = measure_subjects(run, &group, error);
  }
  group_clear(&group);
  ms_lab_bench_forget(run->bench);
  finish_group(run);
  return good;
}
