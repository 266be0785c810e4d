/* SPDX-License-Identifier: MIT */
#include "core/image/file/file-path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The number of links that Linux follows before it reports a loop (ELOOP). */
#define MOST_LINKS 40

/** ms_file_id_get: %FALSE when there is no file at @path; links are followed. */
gboolean
ms_file_id_get(const char *path, MsFileId *id)
{
  struct stat info;

  if (stat(path, &info) != 0)
    return FALSE;
  *id = (MsFileId){info.st_dev, info.st_ino};
  return TRUE;
}

static guint
file_id_hash(gconstpointer key)
{
  const MsFileId *id = key;

  return (guint)(id->inode * 31 + id->device);
}

gboolean
ms_file_id_equal(gconstpointer a, gconstpointer b)
{
  const MsFileId *p = a, *q = b;

  return p->inode == q->inode && p->device == q->device;
}

/** ms_file_id_table_new: (transfer full) (element-type MsFileId gpointer): frees its keys. */
GHashTable *
ms_file_id_table_new(void)
{
  return g_hash_table_new_full(file_id_hash, ms_file_id_equal, g_free, NULL);
}

static gboolean
is_link(const char *path)
{
  struct stat info;

  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

/**
 * ms_file_path_follow:
 *
 * Returns: (transfer full): where the link @path leads, also when there is nothing yet; @path itself when it is no
 *   link, or part of a loop
 */
char *
ms_file_path_follow(const char *path)
{
  g_autofree char *at = g_strdup(path);

  for (int i = 0; i < MOST_LINKS; i++) {
    g_autofree char *target = is_link(at) ? g_file_read_link(at, NULL) : NULL;
    if (!target)
      return g_steal_pointer(&at);
    g_autofree char *folder = g_path_get_dirname(at);
    g_free(at);
    at = g_path_is_absolute(target) ? g_steal_pointer(&target) : g_build_filename(folder, target, NULL);
  }
  return g_strdup(path);
}

/* Resolves links in the folders that exist; the names of folders that do not exist yet stay as they are. */
static char *
resolve_folder(const char *folder)
{
  char *real = realpath(folder, NULL);

  if (real || strcmp(folder, ".") == 0 || strcmp(folder, G_DIR_SEPARATOR_S) == 0) {
    char *copy = g_strdup(real ? real : folder);
    free(real);
    return copy;
  }
  g_autofree char *above = g_path_get_dirname(folder);
  g_autofree char *name = g_path_get_basename(folder);
  g_autofree char *real_above = resolve_folder(above);
  return g_build_filename(real_above, name, NULL);
}

/**
 * ms_file_path_resolve: (transfer full): the canonical absolute path of the file that writing to @path would create or
 * replace.
 */
char *
ms_file_path_resolve(const char *path)
{
  g_autofree char *target = ms_file_path_follow(path);
  g_autofree char *folder = g_path_get_dirname(target);
  g_autofree char *name = g_path_get_basename(target);
  g_autofree char *real = resolve_folder(folder);
  g_autofree char *whole = g_build_filename(real, name, NULL);

  return g_canonicalize_filename(whole, NULL);
}

/** ms_file_path_is_same: whether both paths lead to the same file, or would lead to it once it exists. */
gboolean
ms_file_path_is_same(const char *a, const char *b)
{
  MsFileId p, q;
  gboolean have_a = ms_file_id_get(a, &p), have_b = ms_file_id_get(b, &q);

  if (have_a || have_b)
    return have_a && have_b && ms_file_id_equal(&p, &q);
  g_autofree char *first = ms_file_path_resolve(a);
  g_autofree char *second = ms_file_path_resolve(b);
  return strcmp(first, second) == 0;
}

/** ms_file_path_is_kept: whether writing to @path creates or replaces a file, as opposed to a pipe or device. */
gboolean
ms_file_path_is_kept(const char *path)
{
  struct stat info;

  return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

/** ms_file_path_is_standard: whether @path is "-", which stands for standard input or output; %NULL is no path. */
gboolean
ms_file_path_is_standard(const char *path)
{
  return path && path[0] == '-' && path[1] == '\0';
}
