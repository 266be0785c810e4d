/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/report-files.h"

#include <sys/stat.h>

#include "core/error.h"
#include "core/folder.h"

/* @problems: a line for each file that is no report */
typedef struct {
  char **paths;
  GPtrArray *reports;
  GString *problems;
} Files;

static void
files_free(gpointer data)
{
  Files *self = data;

  g_strfreev(self->paths);
  g_ptr_array_unref(self->reports);
  g_string_free(self->problems, TRUE);
  g_free(self);
}

static void
load_file(Files *self, const char *path)
{
  g_autoptr(GError) error = NULL;
  GPtrArray *reports = ms_reports_load(path, &error);

  if (reports)
    g_ptr_array_extend_and_steal(self->reports, reports);
  else
    g_string_append_printf(self->problems, "%s%s", self->problems->len > 0 ? "\n" : "", error->message);
}

static void
load_folder(Files *self, GDir *folder, const char *path)
{
  for (const char *name; (name = g_dir_read_name(folder));) {
    g_autofree char *file = g_build_filename(path, name, NULL);
    if (g_str_has_suffix(name, ".json"))
      load_file(self, file);
  }
}

static void
load_in_thread(GTask *task, gpointer owner, gpointer data, GCancellable *cancellable)
{
  Files *self = data;

  for (char **path = self->paths; *path; path++) {
    g_autoptr(GDir) folder = g_dir_open(*path, 0, NULL);
    if (folder)
      load_folder(self, folder, *path);
    else
      load_file(self, *path);
  }
  g_task_return_boolean(task, TRUE);
}

/**
 * ms_report_files_load_async:
 * @paths: (array zero-terminated=1): a folder stands for the files in it that end in .json
 * @owner: a GObject
 */
void
ms_report_files_load_async(const char *const *paths, gpointer owner, GAsyncReadyCallback done)
{
  g_autoptr(GTask) task = g_task_new(owner, NULL, done, NULL);
  Files *files = g_new(Files, 1);

  *files = (Files){g_strdupv((char **)paths), g_ptr_array_new_with_free_func((GDestroyNotify)ms_report_unref),
                   g_string_new(NULL)};
  g_task_set_task_data(task, files, files_free);
  g_task_run_in_thread(task, load_in_thread);
}

/**
 * ms_report_files_load_finish:
 * @problems: (out) (transfer full): a line for each file that could not be read; it is left out
 *
 * Returns: (transfer full) (element-type MsReport): the reports; those of a folder in no order
 */
GPtrArray *
ms_report_files_load_finish(GAsyncResult *result, char **problems)
{
  const Files *files = g_task_get_task_data(G_TASK(result));

  *problems = g_strdup(files->problems->str);
  return g_ptr_array_ref(files->reports);
}

/* Kept reports */

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
