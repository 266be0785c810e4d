/* SPDX-License-Identifier: MIT */
#include "core/image/file/folder-below.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

#define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

/**
 * ms_folder_below_flush:
 * @folder: an open folder, which may be an O_PATH file
 *
 * Flushes the names in the folder to the disk, so that they survive a power cut. A folder without read permission, or
 * on a file system without that call, cannot be flushed, which is not an error.
 *
 * Returns: 0, or -1 with errno set
 */
int
ms_folder_below_flush(int folder)
{
  int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return 0;
  int status = fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : -1;
  int code = errno;
  close(fd);
  errno = code;
  return status;
}

/* Makes the folder @name; one that another process makes at the same time serves as well. */
static gboolean
make(int above, const char *name)
{
  if (mkdirat(above, name, 0777) == 0)
    return ms_folder_below_flush(above) == 0;
  return errno == EEXIST;
}

/* Opens @name in @above, making it if needed; a link is refused with ELOOP. Closes @above. */
static int
enter(int above, const char *name)
{
  struct stat info;
  int fd = openat(above, name, FOLDER | O_NOFOLLOW);

  if (fd < 0 && errno == ENOENT && make(above, name))
    fd = openat(above, name, FOLDER | O_NOFOLLOW);
  int code = errno;
  if (fd < 0 && fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
    code = ELOOP;
  close(above);
  errno = code;
  return fd;
}

static int
fail(const char *path, GError **error)
{
  if (errno == ELOOP)
    ms_set_error(
      error, MS_ERROR_IO,
      "Cannot write '%s': a folder in its path is a link, which an output folder must not contain; remove it, "
      "or give --follow-links.",
      path);
  else
    ms_set_error(error, MS_ERROR_IO, "The folder of '%s' cannot be created or opened: %s.", path, g_strerror(errno));
  return -1;
}

/**
 * ms_folder_below_open:
 * @folder: an existing folder, to which links may lead
 * @path: of a file below it: @folder, a slash, and the rest
 *
 * Opens the folder that @path lies in. Missing folders are made; a link between @folder and the file is refused.
 *
 * Returns: an O_PATH file of the folder, or -1 with #MS_ERROR_IO
 */
int
ms_folder_below_open(const char *folder, const char *path, GError **error)
{
  int fd = open(folder, FOLDER);
  g_auto(GStrv) names = g_strsplit(path + strlen(folder), G_DIR_SEPARATOR_S, -1);
  guint n = g_strv_length(names);

  for (guint i = 0; fd >= 0 && i + 1 < n; i++)
    if (names[i][0])
      fd = enter(fd, names[i]);
  return fd >= 0 ? fd : fail(path, error);
}
