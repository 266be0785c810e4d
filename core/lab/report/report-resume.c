/* SPDX-License-Identifier: MIT */

#include "core/lab/report/report.h"

/*
 * Whether two reports are of the same device, driver, sizes, input and version, so that their rows can be mixed, and
 * the old one has the optional columns of the new one.
 */
static gboolean
fits(const MsReport *old, const MsReport *new)
{
  return old->quick == new->quick && (new->experiment->columns & ~old->experiment->columns) == 0 &&
         g_strcmp0(old->device.name, new->device.name) == 0 && g_strcmp0(old->device.driver, new->device.driver) == 0 &&
         g_strcmp0(old->input, new->input) == 0 && g_strcmp0(old->program_version, new->program_version) == 0;
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
  g_autofree char *file = g_strconcat(report->experiment->name, ".json", NULL);
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

static void
take_anchor(MsReport *report, MsReport *earlier, const char *group)
{
  gpointer key, anchor;

  if (!g_hash_table_steal_extended(earlier->anchors, group, &key, &anchor))
    return;
  g_hash_table_insert(report->anchors, key, anchor);
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
    take_anchor(report, earlier, row->group);
  }
}
