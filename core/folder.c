/* SPDX-License-Identifier: MIT */
#include "core/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

/** ms_folder_find_existing: (transfer full): @path, or the nearest folder above it that exists. */
char *
ms_folder_find_existing(const char *path)
{
  char *nearest = g_canonicalize_filename(path, NULL);

  while (!g_file_test(nearest, G_FILE_TEST_EXISTS) && strcmp(nearest, G_DIR_SEPARATOR_S) != 0) {
    char *up = g_path_get_dirname(nearest);
    g_free(nearest);
    nearest = up;
  }
  return nearest;
}

/** ms_folder_is_writable: whether @path is a folder in which this process may make files; errno says why not. */
gboolean
ms_folder_is_writable(const char *path)
{
  errno = ENOTDIR;
  return g_file_test(path, G_FILE_TEST_IS_DIR) && access(path, W_OK | X_OK) == 0;
}

/**
 * ms_folder_make:
 * @mode: permissions of the folders that are created, #MS_FOLDER_PRIVATE or #MS_FOLDER_SHARED
 *
 * Creates @path and the folders above it where they do not exist.
 *
 * Returns: %FALSE with #MS_ERROR_IO
 */
gboolean
ms_folder_make(const char *path, int mode, GError **error)
{
  if (g_mkdir_with_parents(path, mode) == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "The folder '%s' cannot be created: %s.", path, ms_errno_text(errno));
  return FALSE;
}

/** ms_folder_make_parent: ms_folder_make() for the folder that @file is written to. */
gboolean
ms_folder_make_parent(const char *file, int mode, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(file);

  return ms_folder_make(folder, mode, error);
}

/* Flushes the names in the folder to the disk where its file system and its permissions allow that. */
static void
flush(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;
  fsync(fd);
  close(fd);
}

/* Makes @path and what is missing above it; *@topmost becomes the first of them. FALSE with errno set. */
static gboolean
make_missing(const char *path, char **topmost)
{
  g_autofree char *above = g_path_get_dirname(path);

  if (g_file_test(path, G_FILE_TEST_IS_DIR))
    return TRUE;
  if (strcmp(above, path) != 0 && !make_missing(above, topmost))
    return FALSE;
  if (mkdir(path, MS_FOLDER_SHARED) != 0)
    return errno == EEXIST && g_file_test(path, G_FILE_TEST_IS_DIR);
  if (!*topmost)
    *topmost = g_strdup(path);
  flush(above);
  return TRUE;
}

/**
 * ms_folder_make_durable:
 * @topmost: (out) (transfer full) (nullable): the first folder on the way to @path that was made, %NULL if none was
 *
 * Like ms_folder_make() for results, with the new names flushed to the disk, so that a power cut leaves no file in a
 * folder without a name.
 *
 * Returns: %FALSE with #MS_ERROR_IO; folders that were made before the error are removed again
 */
gboolean
ms_folder_make_durable(const char *path, char **topmost, GError **error)
{
  g_autofree char *full = g_canonicalize_filename(path, NULL);

  *topmost = NULL;
  if (make_missing(full, topmost))
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "The folder '%s' cannot be created: %s.", path, ms_errno_text(errno));
  if (*topmost)
    ms_folder_remove_empty(full, *topmost);
  g_clear_pointer(topmost, g_free);
  return FALSE;
}

/** ms_folder_remove_empty: removes @path and the folders above it up to @topmost, as far as they are empty. */
void
ms_folder_remove_empty(const char *path, const char *topmost)
{
  g_autofree char *folder = g_canonicalize_filename(path, NULL);

  while (g_str_has_prefix(folder, topmost) && (rmdir(folder) == 0 || errno == ENOENT)) {
    char *up = g_path_get_dirname(folder);
    g_free(folder);
    folder = up;
  }
}
