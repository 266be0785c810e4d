/* SPDX-License-Identifier: MIT */
#include "core/folder.h"

#include <errno.h>

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
  ms_set_error(error, MS_ERROR_IO, "The folder '%s' cannot be created: %s.", path, g_strerror(errno));
  return FALSE;
}

/** ms_folder_make_parent: ms_folder_make() for the folder that @file is written to. */
gboolean
ms_folder_make_parent(const char *file, int mode, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(file);

  return ms_folder_make(folder, mode, error);
}
