/* SPDX-License-Identifier: MIT */
#include "core/image/atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/image/file-path.h"

#define BUFFER_SIZE (256 << 10)

/* How many temporary names are tried before the save fails. */
#define MOST_TRIES 100

struct _MsAtomicFile {
  char *name; /* the path as given, for messages */
  char *path; /* the path of the final file, with links followed */
  char *folder;
  char *temporary; /* NULL where the file has no name yet (O_TMPFILE) */
  int fd;
  gboolean direct; /* a device or pipe, written in place */
  gboolean overwrite;
  mode_t mode; /* permissions of the file that is replaced, 0 when there is none */
  gsize used;
  guint8 *buffer;
};

static void
set_write_error(GError **error, const char *name, int code)
{
  switch (code) {
  case ENOSPC:
  case EDQUOT:
    g_set_error(error, MS_ERROR, MS_ERROR_IO,
                "Cannot write '%s': the disk is full; free some space or choose another folder.", name);
    break;
  case EFBIG:
    g_set_error(error, MS_ERROR, MS_ERROR_IO,
                "Cannot write '%s': the file would be larger than this system or user may write.", name);
    break;
  case EACCES:
  case EPERM:
  case EROFS:
    g_set_error(error, MS_ERROR, MS_ERROR_IO, "Cannot write '%s': no permission to write there; choose another folder.",
                name);
    break;
  case ENOENT:
    g_set_error(error, MS_ERROR, MS_ERROR_IO, "Cannot write '%s': its folder does not exist; create it first.", name);
    break;
  case ENOTDIR:
    g_set_error(error, MS_ERROR, MS_ERROR_IO,
                "Cannot write '%s': a part of the path in front of it is no folder; choose another path.", name);
    break;
  default:
    g_set_error(error, MS_ERROR, MS_ERROR_IO, "Cannot write '%s': %s; choose another name or folder.", name,
                g_strerror(code));
  }
}

static void
set_exists_error(GError **error, const char *name)
{
  g_set_error(error, MS_ERROR, MS_ERROR_EXISTS,
              "'%s' exists already and is left as it is; choose another name or allow overwriting.", name);
}

/* A new or existing file is written through a temporary file, a device or pipe directly; a folder is refused. */
static gboolean
look_at_target(MsAtomicFile *self, GError **error)
{
  struct stat info;

  if (stat(self->path, &info) != 0) {
    if (errno == ENOENT)
      return TRUE;
    set_write_error(error, self->name, errno);
    return FALSE;
  }
  if (S_ISDIR(info.st_mode)) {
    g_set_error(error, MS_ERROR, MS_ERROR_IO, "Cannot write '%s': it is a folder; give the name of a file in it.",
                self->name);
    return FALSE;
  }
  self->direct = !S_ISREG(info.st_mode);
  self->mode = info.st_mode & 0777;
  if (S_ISREG(info.st_mode) && !self->overwrite) {
    set_exists_error(error, self->name);
    return FALSE;
  }
  return TRUE;
}

/* Uses open(), which applies the umask as to any new file; mkstemp() would make the file private. */
static gboolean
open_named(MsAtomicFile *self)
{
  for (int i = 0; i < MOST_TRIES; i++) {
    g_autofree char *base = g_strdup_printf(".ms-%08x%08x.tmp", g_random_int(), g_random_int());
    g_autofree char *path = g_build_filename(self->folder, base, NULL);
    self->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (self->fd >= 0) {
      self->temporary = g_steal_pointer(&path);
      return TRUE;
    }
    if (errno != EEXIST)
      return FALSE;
  }
  return FALSE;
}

/*
 * Prefers a file without a name, which disappears with the process. Where the file system does not support it, or /proc
 * (needed to name it) is missing, creates a hidden file beside the target.
 */
static gboolean
open_temporary(MsAtomicFile *self)
{
  if (access("/proc/self/fd", X_OK) == 0)
    self->fd = open(self->folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  return self->fd >= 0 || open_named(self);
}

/**
 * ms_atomic_file_open:
 * @path: path of the final file; links are followed, a device or pipe is written directly
 * @overwrite: whether a file of that name may be replaced
 *
 * Returns: (transfer full): a file to write to, or %NULL with %MS_ERROR_EXISTS or %MS_ERROR_IO
 */
MsAtomicFile *
ms_atomic_file_open(const char *path, gboolean overwrite, GError **error)
{
  g_autoptr(MsAtomicFile) self = g_new0(MsAtomicFile, 1);

  self->fd = -1;
  self->name = g_filename_display_name(path);
  /* A link stays as it is; the file that it leads to is created or replaced. */
  self->path = ms_file_path_follow(path);
  self->folder = g_path_get_dirname(self->path);
  self->overwrite = overwrite;
  if (!look_at_target(self, error))
    return NULL;
  if (self->direct)
    self->fd = open(self->path, O_WRONLY | O_CLOEXEC);
  else
    open_temporary(self);
  if (self->fd < 0) {
    set_write_error(error, self->name, errno);
    return NULL;
  }
  self->buffer = g_malloc(BUFFER_SIZE);
  return g_steal_pointer(&self);
}

static gboolean
write_all(MsAtomicFile *self, const guint8 *data, gsize size, GError **error)
{
  while (size > 0) {
    gssize n = write(self->fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      set_write_error(error, self->name, errno);
      return FALSE;
    }
    data += n;
    size -= n;
  }
  return TRUE;
}

static gboolean
flush(MsAtomicFile *self, GError **error)
{
  gsize used = self->used;

  self->used = 0;
  return write_all(self, self->buffer, used, error);
}

/**
 * ms_atomic_file_write: appends @size bytes; FALSE with %MS_ERROR_IO when they cannot be written, as on a full disk.
 */
gboolean
ms_atomic_file_write(MsAtomicFile *self, const void *data, gsize size, GError **error)
{
  if (size > BUFFER_SIZE - self->used && !flush(self, error))
    return FALSE;
  if (size > BUFFER_SIZE)
    return write_all(self, data, size, error);
  memcpy(self->buffer + self->used, data, size);
  self->used += size;
  return TRUE;
}

static gboolean
sync_file(MsAtomicFile *self, GError **error)
{
  if (self->mode != 0 && fchmod(self->fd, self->mode) != 0 && errno != EPERM) {
    set_write_error(error, self->name, errno);
    return FALSE;
  }
  if (fsync(self->fd) != 0 && errno != EINVAL && errno != ENOSYS) {
    set_write_error(error, self->name, errno);
    return FALSE;
  }
  return TRUE;
}

/*
 * Flushes the folder, so that the name survives a power cut. A folder without read permission cannot be flushed, which
 * is not an error.
 */
static void
sync_folder(MsAtomicFile *self)
{
  int fd = open(self->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;
  fsync(fd);
  close(fd);
}

static int
link_nameless(MsAtomicFile *self, const char *path)
{
  g_autofree char *handle = g_strdup_printf("/proc/self/fd/%d", self->fd);

  return linkat(AT_FDCWD, handle, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Gives a file without a name a temporary one, which rename() needs. */
static int
name_nameless(MsAtomicFile *self)
{
  for (int i = 0; i < MOST_TRIES; i++) {
    g_autofree char *base = g_strdup_printf(".ms-%08x%08x.tmp", g_random_int(), g_random_int());
    g_autofree char *path = g_build_filename(self->folder, base, NULL);
    if (link_nameless(self, path) == 0) {
      self->temporary = g_steal_pointer(&path);
      return 0;
    }
    if (errno != EEXIST)
      return -1;
  }
  return -1;
}

/* Where the file system supports no exclusive rename or link, an empty file created exclusively reserves the name. */
static int
reserve_and_rename(MsAtomicFile *self)
{
  int fd = open(self->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

  if (fd < 0)
    return -1;
  close(fd);
  if (rename(self->temporary, self->path) == 0)
    return 0;
  int code = errno;
  unlink(self->path);
  errno = code;
  return -1;
}

static int
rename_exclusively(MsAtomicFile *self)
{
  if (renameat2(AT_FDCWD, self->temporary, AT_FDCWD, self->path, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  if (link(self->temporary, self->path) == 0)
    return unlink(self->temporary);
  return errno == EEXIST ? -1 : reserve_and_rename(self);
}

static int
give_name(MsAtomicFile *self)
{
  if (self->temporary == NULL && !self->overwrite)
    return link_nameless(self, self->path);
  if (self->temporary == NULL && name_nameless(self) != 0)
    return -1;
  return self->overwrite ? rename(self->temporary, self->path) : rename_exclusively(self);
}

/**
 * ms_atomic_file_commit:
 *
 * Flushes the bytes to the disk, then gives the file its name. Without permission to overwrite, a file that another
 * process created meanwhile stays.
 *
 * Returns: FALSE with %MS_ERROR_EXISTS or %MS_ERROR_IO; no file has changed then
 */
gboolean
ms_atomic_file_commit(MsAtomicFile *self, GError **error)
{
  if (!flush(self, error))
    return FALSE;
  if (self->direct)
    return TRUE;
  if (!sync_file(self, error))
    return FALSE;
  if (give_name(self) != 0) {
    if (errno == EEXIST)
      set_exists_error(error, self->name);
    else
      set_write_error(error, self->name, errno);
    return FALSE;
  }
  g_clear_pointer(&self->temporary, g_free);
  sync_folder(self);
  return TRUE;
}

/** ms_atomic_file_free: closes the file; without a successful commit no file remains. */
void
ms_atomic_file_free(MsAtomicFile *self)
{
  if (self->fd >= 0)
    close(self->fd);
  if (self->temporary != NULL)
    unlink(self->temporary);
  g_free(self->buffer);
  g_free(self->temporary);
  g_free(self->folder);
  g_free(self->path);
  g_free(self->name);
  g_free(self);
}
