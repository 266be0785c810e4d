/* SPDX-License-Identifier: MIT */
#include "core/lab/report/resume.h"

/* Whether a report went by the same device, sizes and input, so that its figures may stand beside new ones. */
static gboolean
fits(const MsReport *old, const MsReport *new)
{
  return old->quick == new->quick &&g_strcmp0(old->device.name, new->device.name) == 0 &&
         g_strcmp0(old->device.driver, new->device.driver) == 0 && g_strcmp0(old->input, new->input) == 0 &&
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
 * @report: what is to be run: its device, input and experiment
 * @folder: (nullable): where reports are kept
 *
 * Returns: (transfer full) (nullable): the report of the same experiment, device, driver, input, sizes and version of
 *   the program, finished or not; one that cannot be read is none
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
 * ms_resume_is_finished: whether @earlier ran to its end and knows every row of @report, which an edited file may have
 * more of.
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

/** ms_resume_take_rows: what @earlier has measured moves to the rows of @report with the same settings. */
void
ms_resume_take_rows(MsReport *report, MsReport *earlier)
{
  for (guint i = 0; i < report->rows->len; i++) {
    MsReportRow *row = report->rows->pdata[i], *known = find_measured(earlier, row);
    if (known)
      take_row(row, known);
  }
}
