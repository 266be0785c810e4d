/* SPDX-License-Identifier: MIT */
#include "core/batch/merge.h"

#include <string.h>

#include "core/image/file/atomic-file.h"

#define ENDING ".jsonl"

static int
compare_paths(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The manifests in a folder, sorted, or the file itself. */
static GPtrArray *
list_manifests(const char *path, GError **error)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name(folder)))
    if (g_str_has_suffix(name, ENDING))
      g_ptr_array_add(paths, g_build_filename(path, name, NULL));
  if (!folder && g_file_test(path, G_FILE_TEST_EXISTS))
    g_ptr_array_add(paths, g_strdup(path));
  g_ptr_array_sort(paths, compare_paths);
  if (paths->len > 0)
    return paths;
  ms_set_error(error, MS_ERROR_IO, "There is no manifest at '%s': name a file, or a folder with *%s files.", path,
               ENDING);
  g_ptr_array_unref(paths);
  return NULL;
}

static void
classify(MsMerge *self)
{
  for (guint i = 0; i < self->inputs->len; i++) {
    MsInput *input = g_ptr_array_index(self->inputs, i);
    const MsManifestEntry *entry = input->problem ? NULL : ms_manifest_find(self->manifest, input->path);
    GPtrArray *into = !entry ? self->missing : entry->done ? self->done : self->failed;
    g_ptr_array_add(into, input);
    self->n_repeated += entry && entry->n_done > 1;
  }
}

/**
 * ms_merge_new:
 * @manifests: a manifest, or a folder whose *.jsonl files are manifests
 * @inputs: (transfer full) (element-type MsInput): the images that should have been done
 *
 * Returns: (transfer full): the merge, or %NULL with #MS_ERROR_IO or #MS_ERROR_USAGE
 */
MsMerge *
ms_merge_new(const char *manifests, GPtrArray *inputs, GError **error)
{
  g_autoptr(MsMerge) self = g_new0(MsMerge, 1);

  self->inputs = inputs;
  self->done = g_ptr_array_new();
  self->failed = g_ptr_array_new();
  self->missing = g_ptr_array_new();
  g_autoptr(GPtrArray) paths = list_manifests(manifests, error);
  if (!paths || !(self->manifest = ms_manifest_load_merged((const char *const *)paths->pdata, paths->len, error)))
    return NULL;
  self->n_files = paths->len;
  classify(self);
  return g_steal_pointer(&self);
}

/** ms_merge_free: frees the merge with its inputs. */
void
ms_merge_free(MsMerge *self)
{
  if (!self)
    return;
  g_clear_pointer(&self->manifest, ms_manifest_free);
  g_ptr_array_unref(self->missing);
  g_ptr_array_unref(self->failed);
  g_ptr_array_unref(self->done);
  g_ptr_array_unref(self->inputs);
  g_free(self);
}

static gboolean
write_lines(const MsMerge *self, GPtrArray *inputs, MsAtomicFile *file, GError **error)
{
  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    const MsManifestEntry *entry = ms_manifest_find(self->manifest, input->path);
    if (!ms_atomic_file_write(file, entry->line, strlen(entry->line), error) ||
        !ms_atomic_file_write(file, "\n", 1, error))
      return FALSE;
  }
  return TRUE;
}

/** ms_merge_save: writes one line for each image that has any, as a manifest that --resume reads. */
gboolean
ms_merge_save(const MsMerge *self, const char *path, GError **error)
{
  g_autoptr(MsAtomicFile) file = ms_atomic_file_open(path, TRUE, NULL, error);

  return file && write_lines(self, self->done, file, error) && write_lines(self, self->failed, file, error) &&
         ms_atomic_file_commit(file, error);
}
