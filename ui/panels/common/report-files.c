/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/report-files.h"

#include "core/lab/report/report.h"

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
