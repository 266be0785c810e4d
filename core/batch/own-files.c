/* SPDX-License-Identifier: MIT */
#include "core/batch/own-files.h"

#include <string.h>
#include <sys/stat.h>

#include "core/batch/inputs.h"
#include "core/image/file/file-path.h"

static gboolean
is_kept(const MsOwnFile *file)
{
  return file->path && strcmp(file->path, MS_INPUT_STDIN) != 0 && ms_file_path_is_kept(file->path);
}

static gboolean
is_source(const MsOwnFile *file, GHashTable *sources)
{
  MsFileId id;

  return ms_file_id_get(file->path, &id) && g_hash_table_contains(sources, &id);
}

/* Whether @file is another hard link to an output. */
static gboolean
is_linked_output(const MsOwnFile *file, GHashTable *outputs)
{
  struct stat info;
  MsFileId id, other;
  GHashTableIter each;
  gpointer output;

  if (stat(file->path, &info) != 0 || info.st_nlink < 2 || !ms_file_id_get(file->path, &id))
    return FALSE;
  g_hash_table_iter_init(&each, outputs);
  while (g_hash_table_iter_next(&each, &output, NULL))
    if (ms_file_id_get(output, &other) && ms_file_id_equal(&id, &other))
      return TRUE;
  return FALSE;
}

static gboolean
check_image(const MsOwnFile *file, GHashTable *sources, GHashTable *outputs, GError **error)
{
  g_autofree char *path = ms_file_path_resolve(file->path);

  if (!is_source(file, sources) && !g_hash_table_contains(outputs, path) && !is_linked_output(file, outputs))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "--%s would overwrite the image '%s'; choose another file.", file->option,
               file->path);
  return FALSE;
}

/**
 * ms_own_files_check:
 * @files: (array length=n)
 * @sources: (element-type MsFileId gpointer): all inputs, also those of other shards
 * @outputs: (element-type filename gpointer): all planned outputs, as ms_file_path_resolve() spells them
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when one is an image of the run, or two are the same file
 */
gboolean
ms_own_files_check(const MsOwnFile *files, guint n, GHashTable *sources, GHashTable *outputs, GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (!is_kept(&files[i]))
      continue;
    if (!check_image(&files[i], sources, outputs, error))
      return FALSE;
    for (guint k = 0; k < i; k++)
      if (is_kept(&files[k]) && ms_file_path_is_same(files[i].path, files[k].path)) {
        ms_set_error(error, MS_ERROR_USAGE, "--%s and --%s would both write '%s'; name a different file for each.",
                     files[k].option, files[i].option, files[i].path);
        return FALSE;
      }
  }
  return TRUE;
}
