/* SPDX-License-Identifier: MIT */
#include "app/output-check.h"

#include <string.h>
#include <unistd.h>

#include "core/image/file/atomic-file.h"
#include "core/image/file/file-path.h"
#include "core/image/image-drain.h"
#include "core/lab/lab.h"

/* A path of the command line, and the option that names it; an input image has none. */
typedef struct {
  const char *option;
  char *path;
} Place;

static void
free_place(gpointer data)
{
  Place *place = data;

  g_free(place->path);
  g_free(place);
}

static void
add_place(GPtrArray *places, const char *option, const char *path)
{
  if (!path || ms_file_path_is_standard(path))
    return;
  Place *place = g_new(Place, 1);
  *place = (Place){option, g_strdup(path)};
  g_ptr_array_add(places, place);
}

static void
set_read_error(GError **error, const Place *written, const Place *read)
{
  if (read->option)
    ms_set_error(error, MS_ERROR_USAGE, "--%s would overwrite '%s', which --%s reads; choose another file.",
                 written->option, read->path, read->option);
  else
    ms_set_error(error, MS_ERROR_USAGE, "--%s would overwrite the image '%s'; choose another file.", written->option,
                 read->path);
}

static gboolean
check_against(const Place *written, GPtrArray *others, guint n, gboolean are_read, GError **error)
{
  if (!ms_file_path_is_kept(written->path))
    return TRUE;
  for (guint i = 0; i < n; i++) {
    const Place *other = g_ptr_array_index(others, i);
    if (!ms_file_path_is_same(written->path, other->path))
      continue;
    if (are_read)
      set_read_error(error, written, other);
    else
      ms_set_error(error, MS_ERROR_USAGE, "--%s and --%s would both write '%s'; give each its own file.", other->option,
                   written->option, written->path);
    return FALSE;
  }
  return TRUE;
}

static gboolean
add_report_files(const MsCommandLine *line, GPtrArray *written, GError **error)
{
  const char *names[] = {line->experiment, NULL};
  g_autoptr(GPtrArray) paths = NULL;

  if (!line->experiment || !line->report_dir || strcmp(line->experiment, "list") == 0)
    return TRUE;
  paths = ms_lab_report_paths(names, line->report_dir, error);
  for (guint i = 0; paths && i < paths->len; i++)
    add_place(written, "report-dir", g_ptr_array_index(paths, i));
  return paths != NULL;
}

/*
 * Checks that the report's file can be opened. Devices and pipes are not opened, because their reader would see an end
 * of file.
 */
static gboolean
check_file(const char *option, const char *path, GError **error)
{
  g_autoptr(MsAtomicFile) file = NULL;

  if (!path || ms_file_path_is_standard(path) || ms_image_is_stream(path))
    return TRUE;
  file = ms_atomic_file_open(path, TRUE, NULL, error);
  if (!file)
    g_prefix_error(error, "--%s: ", option);
  return file != NULL;
}

/* The run creates missing folders, so the nearest folder that exists must be writable. */
static gboolean
check_folder(const char *option, const char *path, GError **error)
{
  g_autofree char *nearest = g_canonicalize_filename(path, NULL);

  while (!g_file_test(nearest, G_FILE_TEST_EXISTS) && strcmp(nearest, "/") != 0) {
    char *up = g_path_get_dirname(nearest);
    g_free(nearest);
    nearest = up;
  }
  if (g_file_test(nearest, G_FILE_TEST_IS_DIR) && access(nearest, W_OK | X_OK) == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "--%s cannot be '%s': the folder '%s' cannot be written to; choose another.", option,
               path, nearest);
  return FALSE;
}

/* Checks reports before the run, so that a long run does not end without its report. */
static gboolean
check_writable(const MsCommandLine *line, GError **error)
{
  return check_file("json", line->json, error) && check_file("csv", line->csv, error) &&
         (!line->report_dir || check_folder("report-dir", line->report_dir, error));
}

/* Refuses --name where -o names the file of a single image. */
static gboolean
check_name(const MsCommandLine *line, GError **error)
{
  gboolean one = line->inputs[0] && !line->inputs[1] && !g_file_test(line->inputs[0], G_FILE_TEST_IS_DIR);

  if (!line->name || !line->output || !one || g_str_has_suffix(line->output, G_DIR_SEPARATOR_S) ||
      g_file_test(line->output, G_FILE_TEST_IS_DIR))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "--name is for files in a folder, but '%s' is not a folder; leave out --name, or name a folder with -o.",
               line->output);
  return FALSE;
}

/**
 * ms_output_check:
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when a report would overwrite an image, a baseline, an experiment or another
 *   report, or with #MS_ERROR_IO when a report cannot be written
 */
gboolean
ms_output_check(const MsCommandLine *line, GError **error)
{
  g_autoptr(GPtrArray) read = g_ptr_array_new_with_free_func(free_place);
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(free_place);
  gboolean good;

  if (!check_name(line, error))
    return FALSE;
  for (guint i = 0; line->inputs[i]; i++)
    add_place(read, NULL, line->inputs[i]);
  add_place(read, "compare", line->compare);
  add_place(read, "experiment", line->experiment);
  good = add_report_files(line, written, error);
  add_place(written, "output", line->output);
  add_place(written, "json", line->json);
  add_place(written, "csv", line->csv);
  add_place(written, "manifest", line->manifest);
  add_place(written, "labels", line->labels);
  add_place(written, "modes", line->modes);
  add_place(written, "outlines", line->outlines);
  for (guint i = 0; good && i < written->len; i++) {
    const Place *place = g_ptr_array_index(written, i);
    /* The batch checks the outputs of images, because it makes their names. */
    if (strcmp(place->option, "output") != 0)
      good = check_against(place, read, read->len, TRUE, error);
    good = good && check_against(place, written, i, FALSE, error);
  }
  return good && check_writable(line, error);
}
