/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/kept-reports.h"

#include <sys/stat.h>

#include "core/error.h"
#include "core/folder.h"

/** ms_kept_reports_folder: (transfer full): the folder of a device, whose name is a hash; @platform: (nullable) */
char *
ms_kept_reports_folder(const char *device, const char *platform)
{
  g_autofree char *text = g_strjoin("\n", device ? device : "", platform ? platform : "", NULL);
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
  g_autofree char *name = g_strndup(hash, 32);

  return g_build_filename(g_get_user_data_dir(), "meanshift-lab", "reports", name, NULL);
}

/** ms_kept_reports_stamp: a number that changes whenever a report is added or replaced; 0 where none is kept */
gint64
ms_kept_reports_stamp(const char *folder)
{
  struct stat info;

  return stat(folder, &info) == 0 ? (gint64)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec : 0;
}

/* The file is replaced at once, so that another window never reads half of it. */
static void
save_in_thread(GTask *task, gpointer owner, gpointer data, GCancellable *cancellable)
{
  const MsReport *report = data;
  g_autofree char *folder = ms_kept_reports_folder(report->device.name, report->device.platform);
  g_autofree char *name = g_strconcat(report->experiment->name, ".json", NULL);
  g_autofree char *path = g_build_filename(folder, g_strdelimit(name, "/", '-'), NULL);
  g_autofree char *json = ms_report_to_json(report);
  GError *error = NULL;

  if (ms_folder_make(folder, MS_FOLDER_PRIVATE, &error) && g_file_set_contents(path, json, -1, &error))
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_error(task, error);
}

/** ms_kept_reports_save_async: keeps @report in place of the last one of its experiment; @owner: a GObject */
void
ms_kept_reports_save_async(MsReport *report, gpointer owner, GAsyncReadyCallback done)
{
  g_autoptr(GTask) task = g_task_new(owner, NULL, done, NULL);

  g_task_set_task_data(task, ms_report_ref(report), (GDestroyNotify)ms_report_unref);
  g_task_run_in_thread(task, save_in_thread);
}

gboolean
ms_kept_reports_save_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}
