/* SPDX-License-Identifier: MIT */
#include "ui/panels/experiment/own-experiment.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/experiment/experiment-file.h"

#define ENDING ".experiment"

/* The files of the template. */
#define EXPERIMENT "own-step.experiment"
#define KERNEL "step.cl"

/* What a word of a case must not contain, see ms_factors_parse(). */
#define SEPARATORS " \t:;\\"

/* Writes a file that must not exist: nothing that a person has written is ever replaced. */
static gboolean
write_new(const char *path, const void *text, gsize size, GError **error)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autoptr(GError) failure = NULL;
  g_autoptr(GFileOutputStream) stream = g_file_create(file, G_FILE_CREATE_NONE, NULL, &failure);

  if (stream && g_output_stream_write_all(G_OUTPUT_STREAM(stream), text, size, NULL, NULL, &failure) &&
      g_output_stream_close(G_OUTPUT_STREAM(stream), NULL, &failure))
    return TRUE;
  if (g_error_matches(failure, G_IO_ERROR, G_IO_ERROR_EXISTS))
    ms_set_error(error, MS_ERROR_EXISTS, _("%s exists already; choose another name for the experiment."), path);
  else
    ms_set_error(error, MS_ERROR_IO, _("%s could not be written: %s"), path, failure->message);
  return FALSE;
}

/* (transfer full): the template's text with the title @stem, whose case has the part in the file @kernel */
static char *
fill_template(const char *stem, const char *kernel, gsize *size, GError **error)
{
  g_autoptr(GBytes) bytes = ms_experiment_template(EXPERIMENT, error);
  g_autoptr(GKeyFile) file = g_key_file_new();

  if (!bytes || !g_key_file_load_from_bytes(file, bytes, G_KEY_FILE_KEEP_COMMENTS, error))
    return NULL;
  g_autofree char *mine = g_key_file_get_string(file, "Cases", "mine", error);
  if (!mine)
    return NULL;
  g_assert(g_str_has_suffix(mine, KERNEL));
  mine[strlen(mine) - strlen(KERNEL)] = '\0';
  g_autofree char *part = g_strconcat(mine, kernel, NULL);
  g_autofree char *description = g_strdup_printf(
    _("The program's part for one step of the innermost loop, and the file %s beside this one in its place."), kernel);
  g_key_file_set_string(file, "Experiment", "Title", stem);
  g_key_file_set_string(file, "Experiment", "Description", description);
  g_key_file_set_string(file, "Cases", "mine", part);
  return g_key_file_to_data(file, size, NULL);
}

/**
 * ms_own_experiment_write: writes an experiment from the template, and beside it the kernel's part that it compares.
 * @path: gets the ending .experiment if it has none
 *
 * Returns: (transfer full) (nullable): the path of the experiment; %NULL where one of the files exists already
 */
char *
ms_own_experiment_write(const char *path, GError **error)
{
  g_autofree char *whole = g_str_has_suffix(path, ENDING) ? g_strdup(path) : g_strconcat(path, ENDING, NULL);
  g_autofree char *folder = g_path_get_dirname(whole), *stem = g_path_get_basename(whole);
  gsize size;

  stem[strlen(stem) - strlen(ENDING)] = '\0';
  g_autofree char *word = g_strdelimit(g_strdup(stem), SEPARATORS, '-');
  g_autofree char *kernel = g_strconcat(word, ".cl", NULL), *beside = g_build_filename(folder, kernel, NULL);
  g_autofree char *text = fill_template(stem, kernel, &size, error);
  g_autoptr(GBytes) step = text ? ms_experiment_template(KERNEL, error) : NULL;
  if (!step || !write_new(beside, g_bytes_get_data(step, NULL), g_bytes_get_size(step), error))
    return NULL;
  if (!write_new(whole, text, size, error)) {
    g_autoptr(GFile) unused = g_file_new_for_path(beside);
    g_file_delete(unused, NULL, NULL);
    return NULL;
  }
  return g_steal_pointer(&whole);
}

/* (transfer full) (nullable): the file of the first case that has one */
static char *
find_kernel(const MsExperiment *experiment)
{
  const char *source = ms_factors_get(experiment->fixed, "source");

  for (guint i = 0; !source && i < experiment->cases->len; i++)
    source = ms_factors_get(((const MsCase *)experiment->cases->pdata[i])->factors, "source");
  return g_strdup(source);
}

/** ms_own_experiment_show: opens a file of @experiment, which is in @path, or the folder, in the usual program. */
gboolean
ms_own_experiment_show(const char *path, const MsExperiment *experiment, MsOwnFile what, GError **error)
{
  g_autofree char *shown = what == MS_OWN_KERNEL   ? find_kernel(experiment)
                           : what == MS_OWN_FOLDER ? g_path_get_dirname(path)
                                                   : g_strdup(path);
  g_autoptr(GError) failure = NULL;

  if (!shown) {
    ms_set_error_literal(error, MS_ERROR_USAGE, _("This experiment names no kernel of one's own."));
    return FALSE;
  }
  g_autoptr(GFile) file = g_file_new_for_path(shown);
  g_autofree char *uri = g_file_get_uri(file);
  if (g_app_info_launch_default_for_uri(uri, NULL, &failure))
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, _("%s could not be opened: %s"), shown, failure->message);
  return FALSE;
}

/** ms_own_experiment_log: (transfer full) (nullable): of the first kernel of @report (nullable) that does not build. */
char *
ms_own_experiment_log(const MsReport *report)
{
  for (guint i = 0; report && i < report->rows->len; i++) {
    const MsMeasurement *m = ((const MsReportRow *)report->rows->pdata[i])->measurement;
    if (m->outcome == MS_OUTCOME_BUILD && (m->shown || m->message))
      return g_strdup(m->shown ? m->shown : m->message);
  }
  return NULL;
}
