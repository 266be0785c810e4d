/* SPDX-License-Identifier: MIT */
#include "core/image/file/atomic-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/image/file/file-path.h"
#include "core/image/file/pipe-output.h"
#include "core/text.h"

#define BUFFER_SIZE (256 << 10)

#define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

/* How many temporary names are tried before the save fails. */
#define MOST_TRIES 100

struct _MsAtomicFile {
  char *path;      /* as given, for messages */
  char *base;      /* name of the final file in the folder */
  int folder;      /* open, so that nobody can put another in its place */
  char *temporary; /* name in the folder; NULL where the file has no name yet (O_TMPFILE) */
  int fd;
  gboolean direct;      /* a device or pipe, written in place */
  gboolean is_finished; /* its bytes are on the disk */
  gboolean overwrite;
  gboolean replaces_links;
  gboolean accepts_streams;
  MsStreamWait wait;
  mode_t mode; /* permissions of the file that is replaced, 0 when there is none */
  GCancellable *cancellable;
  gsize used;
  guint8 *buffer;
};

static void
set_exists_error(GError **error, const char *path)
{
  g_autofree char *name = ms_printable(path, "");

  ms_set_error(error, MS_ERROR_EXISTS,
               "'%s' exists already and was not changed; choose another name or allow overwriting.", name);
}

/*
 * Flushes the names in the folder to the disk, so that they survive a power cut. A folder without read permission, or
 * on a file system without that call, cannot be flushed, which is not an error.
 * Returns 0, or -1 with errno set.
 */
static int
flush_folder(int folder)
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
make_folder(int above, const char *name)
{
  if (mkdirat(above, name, 0777) == 0)
    return flush_folder(above) == 0;
  return errno == EEXIST;
}

/* Opens @name in @above, making it if needed; a link is refused with ELOOP unless it is followed. Closes @above. */
static int
enter_folder(int above, const char *name, gboolean follow_links)
{
  const int flags = follow_links ? FOLDER : FOLDER | O_NOFOLLOW;
  struct stat info;
  int fd = openat(above, name, flags);

  if (fd < 0 && errno == ENOENT && make_folder(above, name))
    fd = openat(above, name, flags);
  int code = errno;
  if (fd < 0 && !follow_links && fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode))
    code = ELOOP;
  close(above);
  errno = code;
  return fd;
}

static int
fail_below(const char *path, GError **error)
{
  const int code = errno;
  g_autofree char *name = ms_printable(path, "");

  if (code == ELOOP)
    ms_set_error(
      error, MS_ERROR_IO,
      "Cannot write '%s': a folder in its path is a link, which an output folder must not contain; remove it, "
      "or give --follow-links.",
      name);
  else
    ms_file_fail_writing(error, path, code);
  return -1;
}

/**
 * ms_atomic_place_hold: remembers which folder is there, which stays open, since the number of one that is gone may be
 * given to another. Returns the open folder, or -1 where there is none.
 */
int
ms_atomic_place_hold(MsAtomicPlace *self)
{
  struct stat info;
  const int fd = open(self->folder, FOLDER);

  if (fd >= 0 && fstat(fd, &info) == 0)
    self->id = (MsFileId){info.st_dev, info.st_ino};
  return fd;
}

/* Opens the folder of @place, if it is still the one that was there first; -1 with #MS_ERROR_IO. */
static int
open_place(const MsAtomicPlace *place, const char *path, GError **error)
{
  const MsFileId none = {0, 0};
  struct stat info;
  const int fd = open(place->folder, FOLDER);

  if (fd < 0)
    return fail_below(path, error);
  if (ms_file_id_equal(&place->id, &none) ||
      (fstat(fd, &info) == 0 && ms_file_id_equal(&place->id, &(MsFileId){info.st_dev, info.st_ino})))
    return fd;
  g_autofree char *name = ms_printable(place->folder, "");
  close(fd);
  ms_set_error(
    error, MS_ERROR_IO,
    "The output folder '%s' was replaced by another since the batch began, and nothing is written there; put "
    "the first one back, or begin anew.",
    name);
  return -1;
}

/*
 * Opens the folder that @path lies in, which is below that of @place. Missing folders are made; a link between the two
 * is refused unless links are followed. Returns an O_PATH file of the folder, or -1 with #MS_ERROR_IO.
 */
static int
open_folder_below(const MsAtomicPlace *place, const char *path, GError **error)
{
  int fd = open_place(place, path, error);
  g_auto(GStrv) names = g_strsplit(path + strlen(place->folder), G_DIR_SEPARATOR_S, -1);
  const guint n = g_strv_length(names);

  if (fd < 0)
    return -1;
  for (guint i = 0; fd >= 0 && i + 1 < n; i++)
    if (names[i][0])
      fd = enter_folder(fd, names[i], place->follow_links);
  return fd >= 0 ? fd : fail_below(path, error);
}

/*
 * A new or existing file is written through a temporary file, a device or pipe that was named directly; a folder and a
 * socket are refused. A link is replaced like a file where links are not followed.
 */
static gboolean
look_at_target(MsAtomicFile *self, GError **error)
{
  struct stat info;

  if (fstatat(self->folder, self->base, &info, self->replaces_links ? AT_SYMLINK_NOFOLLOW : 0) != 0) {
    if (errno == ENOENT)
      return TRUE;
    ms_file_fail_writing(error, self->path, errno);
    return FALSE;
  }
  self->direct = !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode);
  if (S_ISDIR(info.st_mode) || S_ISSOCK(info.st_mode) || (self->direct && !self->accepts_streams)) {
    ms_file_fail_writing(error, self->path, S_ISDIR(info.st_mode) ? EISDIR : ESPIPE);
    return FALSE;
  }
  self->mode = S_ISREG(info.st_mode) ? info.st_mode & 0777 : 0;
  if (!self->direct && !self->overwrite) {
    set_exists_error(error, self->path);
    return FALSE;
  }
  return TRUE;
}

static char *
new_temporary_name(void)
{
  return g_strdup_printf(".ms-%08x%08x.tmp", g_random_int(), g_random_int());
}

/* Uses openat(), which applies the umask as to any new file; mkstemp() would make the file private. */
static gboolean
open_named(MsAtomicFile *self)
{
  for (int i = 0; i < MOST_TRIES; i++) {
    g_autofree char *temporary = new_temporary_name();
    self->fd = openat(self->folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (self->fd >= 0) {
      self->temporary = g_steal_pointer(&temporary);
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
    self->fd = openat(self->folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  return self->fd >= 0 || open_named(self);
}

/* FALSE with @error, or with errno set. */
static gboolean
open_target(MsAtomicFile *self, GError **error)
{
  if (!self->direct)
    return open_temporary(self);
  self->fd = ms_pipe_output_open(self->folder, self->base, &self->wait, self->cancellable, error);
  return self->fd >= 0;
}

static MsAtomicFile *
new_file(const char *path, gboolean overwrite, GCancellable *cancellable)
{
  MsAtomicFile *self = g_new0(MsAtomicFile, 1);

  self->fd = self->folder = -1;
  self->path = g_strdup(path);
  self->base = g_path_get_basename(path);
  self->overwrite = overwrite;
  self->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
  return self;
}

/* Opens the file in its folder, which is open. */
static gboolean
open_file(MsAtomicFile *self, GError **error)
{
  g_autoptr(GError) failure = NULL;

  if (!look_at_target(self, error))
    return FALSE;
  if (!open_target(self, &failure)) {
    if (failure)
      g_propagate_error(error, g_steal_pointer(&failure));
    else
      ms_file_fail_writing(error, self->path, errno);
    return FALSE;
  }
  self->buffer = g_malloc(BUFFER_SIZE);
  return TRUE;
}

static gboolean
is_pipe_or_device(const char *path)
{
  struct stat info;

  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/** ms_atomic_file_open: ms_atomic_file_open_waiting() without a limit of the wait. */
MsAtomicFile *
ms_atomic_file_open(const char *path, gboolean overwrite, GCancellable *cancellable, GError **error)
{
  return ms_atomic_file_open_waiting(path, overwrite, NULL, cancellable, error);
}

/**
 * ms_atomic_file_open_waiting:
 * @path: path of the final file, which a person named; links are followed, a device or pipe is written directly
 * @overwrite: whether a file of that name may be replaced
 * @wait: (nullable): how long a pipe may take no byte, here and in ms_atomic_file_write()
 * @cancellable: (nullable): ends that wait
 *
 * Returns: (transfer full): a file to write to, or %NULL with %MS_ERROR_EXISTS, %MS_ERROR_IO, %MS_ERROR_TIMEOUT or
 *   %G_IO_ERROR_CANCELLED
 */
MsAtomicFile *
ms_atomic_file_open_waiting(const char *path, gboolean overwrite, const MsStreamWait *wait, GCancellable *cancellable,
                            GError **error)
{
  /* A link stays as it is; the file that it leads to is created or replaced. A link to a pipe may lead to no name. */
  g_autofree char *target = is_pipe_or_device(path) ? g_strdup(path) : ms_file_path_follow(path);
  g_autofree char *folder = g_path_get_dirname(target);
  g_autoptr(MsAtomicFile) self = new_file(target, overwrite, cancellable);

  self->accepts_streams = TRUE;
  if (wait)
    self->wait = *wait;
  self->wait.name = self->path;
  self->folder = open(folder, FOLDER);
  if (self->folder < 0) {
    ms_file_fail_writing(error, self->path, errno);
    return NULL;
  }
  return open_file(self, error) ? g_steal_pointer(&self) : NULL;
}

/* Goes on to the file to which a link leads, also when there is none yet; the folder in front of the link is open. */
static gboolean
follow_link(MsAtomicFile *self)
{
  g_autofree char *handle = g_strdup_printf("/proc/self/fd/%d/%s", self->folder, self->base);
  g_autofree char *target = ms_file_path_follow(handle);

  if (strcmp(handle, target) == 0)
    return TRUE;
  g_autofree char *folder = g_path_get_dirname(target);
  const int fd = open(folder, FOLDER);
  close(self->folder);
  self->folder = fd;
  g_free(self->base);
  self->base = g_path_get_basename(target);
  return fd >= 0;
}

/**
 * ms_atomic_file_open_below:
 * @place: an existing folder, to which links may lead
 * @path: of a file below it: the folder, a slash, and the rest; missing folders between the two are made
 *
 * Like ms_atomic_file_open(), but a pipe or device is refused, and so is a folder that took the place of the first one.
 * Unless links are followed, nothing is written through a link below the folder: a link to a folder is refused, and
 * one at @path itself counts as an existing file, which is replaced if @overwrite allows it.
 */
MsAtomicFile *
ms_atomic_file_open_below(const MsAtomicPlace *place, const char *path, gboolean overwrite, GCancellable *cancellable,
                          GError **error)
{
  g_autoptr(MsAtomicFile) self = new_file(path, overwrite, cancellable);

  self->replaces_links = !place->follow_links;
  self->folder = open_folder_below(place, path, error);
  if (self->folder < 0)
    return NULL;
  if (place->follow_links && !follow_link(self)) {
    ms_file_fail_writing(error, path, errno);
    return NULL;
  }
  return open_file(self, error) ? g_steal_pointer(&self) : NULL;
}

static gboolean
write_all(MsAtomicFile *self, const guint8 *data, gsize size, GError **error)
{
  int code = ms_pipe_output_write(self->fd, data, size, &self->wait, self->cancellable, error);

  if (code != 0 && code != ECANCELED)
    ms_file_fail_writing(error, self->path, code);
  return code == 0;
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

/** ms_atomic_file_is_direct: whether the target is a device or pipe, whose bytes cannot be rewritten. */
gboolean
ms_atomic_file_is_direct(const MsAtomicFile *self)
{
  return self->direct;
}

/**
 * ms_atomic_file_rewrite: replaces @size bytes from @offset on, all written before; not for a device or pipe.
 *
 * Returns: FALSE with %MS_ERROR_IO
 */
gboolean
ms_atomic_file_rewrite(MsAtomicFile *self, guint64 offset, const void *data, gsize size, GError **error)
{
  if (!flush(self, error))
    return FALSE;
  for (gsize done = 0; done < size;) {
    gssize n = pwrite(self->fd, (const guint8 *)data + done, size - done, (off_t)(offset + done));
    if (n < 0 && errno != EINTR) {
      ms_file_fail_writing(error, self->path, errno);
      return FALSE;
    }
    done += n > 0 ? (gsize)n : 0;
  }
  return TRUE;
}

static gboolean
sync_file(MsAtomicFile *self, GError **error)
{
  if (self->mode != 0 && fchmod(self->fd, self->mode) != 0 && errno != EPERM) {
    ms_file_fail_writing(error, self->path, errno);
    return FALSE;
  }
  if (fsync(self->fd) != 0 && errno != EINVAL && errno != ENOSYS) {
    ms_file_fail_writing(error, self->path, errno);
    return FALSE;
  }
  return TRUE;
}

static int
link_nameless(MsAtomicFile *self, const char *name)
{
  g_autofree char *handle = g_strdup_printf("/proc/self/fd/%d", self->fd);

  return linkat(AT_FDCWD, handle, self->folder, name, AT_SYMLINK_FOLLOW);
}

/* Gives a file without a name a temporary one, which renameat() needs. */
static int
name_nameless(MsAtomicFile *self)
{
  for (int i = 0; i < MOST_TRIES; i++) {
    g_autofree char *temporary = new_temporary_name();
    if (link_nameless(self, temporary) == 0) {
      self->temporary = g_steal_pointer(&temporary);
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
  int fd = openat(self->folder, self->base, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

  if (fd < 0)
    return -1;
  close(fd);
  if (renameat(self->folder, self->temporary, self->folder, self->base) == 0)
    return 0;
  int code = errno;
  unlinkat(self->folder, self->base, 0);
  errno = code;
  return -1;
}

static int
rename_exclusively(MsAtomicFile *self)
{
  if (renameat2(self->folder, self->temporary, self->folder, self->base, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  if (linkat(self->folder, self->temporary, self->folder, self->base, 0) == 0)
    return unlinkat(self->folder, self->temporary, 0);
  return errno == EEXIST ? -1 : reserve_and_rename(self);
}

static int
give_name(MsAtomicFile *self)
{
  if (!self->temporary && !self->overwrite)
    return link_nameless(self, self->base);
  if (!self->temporary && name_nameless(self) != 0)
    return -1;
  if (!self->overwrite)
    return rename_exclusively(self);
  return renameat(self->folder, self->temporary, self->folder, self->base);
}

/**
 * ms_atomic_file_finish: flushes the bytes of a file that is no pipe or device to the disk, as ms_atomic_file_commit()
 * does first.
 * @info: (out): the file, of which naming changes nothing but the number of its names and the time of that
 *
 * Returns: FALSE with %MS_ERROR_IO
 */
gboolean
ms_atomic_file_finish(MsAtomicFile *self, struct stat *info, GError **error)
{
  if (!flush(self, error) || !sync_file(self, error))
    return FALSE;
  self->is_finished = TRUE;
  if (fstat(self->fd, info) == 0)
    return TRUE;
  ms_file_fail_writing(error, self->path, errno);
  return FALSE;
}

/**
 * ms_atomic_file_commit:
 *
 * Flushes the bytes to the disk unless they are there, then gives the file its name. Without permission to overwrite, a
 * file that another process created meanwhile stays.
 *
 * Returns: FALSE with %MS_ERROR_EXISTS or %MS_ERROR_IO; no file has changed then, unless the folder alone could not be
 *   flushed, so that a power cut might lose the name
 */
gboolean
ms_atomic_file_commit(MsAtomicFile *self, GError **error)
{
  if (!flush(self, error))
    return FALSE;
  if (self->direct)
    return TRUE;
  if (!self->is_finished && !sync_file(self, error))
    return FALSE;
  if (give_name(self) != 0) {
    if (errno == EEXIST)
      set_exists_error(error, self->path);
    else
      ms_file_fail_writing(error, self->path, errno);
    return FALSE;
  }
  g_clear_pointer(&self->temporary, g_free);
  if (flush_folder(self->folder) == 0)
    return TRUE;
  ms_set_error(error, MS_ERROR_IO,
               "'%s' was written, but its folder could not be flushed to the disk: %s; check the disk.", self->path,
               ms_errno_text(errno));
  return FALSE;
}

/**
 * ms_atomic_file_set_path: sets another name in the same folder; %FALSE with the errors of ms_atomic_file_open(), also
 * where there is a pipe.
 */
gboolean
ms_atomic_file_set_path(MsAtomicFile *self, const char *path, GError **error)
{
  g_free(self->path);
  g_free(self->base);
  self->path = g_strdup(path);
  self->base = g_path_get_basename(path);
  self->wait.name = self->path;
  self->is_finished = FALSE;
  if (!look_at_target(self, error))
    return FALSE;
  if (self->direct)
    set_exists_error(error, path);
  return !self->direct;
}

/**
 * ms_atomic_file_save:
 * @place: (nullable): see ms_atomic_file_open_below(); %NULL for a file that a person named
 *
 * Writes a whole file, which replaces one of that name.
 *
 * Returns: %FALSE with the errors of ms_atomic_file_open(), which name the file as the person does
 */
gboolean
ms_atomic_file_save(const MsAtomicPlace *place, const char *path, const void *data, gsize size, GError **error)
{
  g_autoptr(MsAtomicFile) file =
    place ? ms_atomic_file_open_below(place, path, TRUE, NULL, error) : ms_atomic_file_open(path, TRUE, NULL, error);

  return file && ms_atomic_file_write(file, data, size, error) && ms_atomic_file_commit(file, error);
}

/** ms_atomic_file_save_own: ms_atomic_file_save() for the absolute path of a text that the program keeps for itself. */
gboolean
ms_atomic_file_save_own(const char *path, const char *text, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(path);

  return ms_atomic_file_save(&(MsAtomicPlace){.folder = folder}, path, text, strlen(text), error);
}

/** ms_atomic_file_free: closes the file; without a successful commit no file remains. */
void
ms_atomic_file_free(MsAtomicFile *self)
{
  if (self->fd >= 0)
    close(self->fd);
  if (self->temporary)
    unlinkat(self->folder, self->temporary, 0);
  if (self->folder >= 0)
    close(self->folder);
  g_clear_object(&self->cancellable);
  g_free(self->buffer);
  g_free(self->temporary);
  g_free(self->base);
  g_free(self->path);
  g_free(self);
}
