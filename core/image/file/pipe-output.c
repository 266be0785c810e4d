/* SPDX-License-Identifier: MIT */
#include "core/image/file/pipe-output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"

/* How often a named pipe without a reader is tried again; the system reports the reader in no other way. */
#define RETRY_MS 20

/* Waits until @fd (or -1) takes bytes or @milliseconds (or -1) have passed; %FALSE when cancelled. */
static gboolean
wait_for(int fd, int milliseconds, GCancellable *cancellable, GError **error)
{
  GPollFD cancel = {.fd = -1};
  gboolean has_cancel = cancellable && g_cancellable_make_pollfd(cancellable, &cancel);
  struct pollfd fds[2] = {{.fd = fd, .events = POLLOUT}, {.fd = cancel.fd, .events = POLLIN}};

  poll(fds, has_cancel ? 2 : 1, milliseconds);
  if (has_cancel)
    g_cancellable_release_fd(cancellable);
  return !g_cancellable_set_error_if_cancelled(cancellable, error);
}

/* A file that has come in place of the pipe would be overwritten without its name being free; errno is set. */
static int
refuse_file(int fd)
{
  struct stat info;

  if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode))
    return fd;
  close(fd);
  errno = EEXIST;
  return -1;
}

static gboolean
is_pipe(int folder, const char *name)
{
  struct stat info;

  return fstatat(folder, name, &info, 0) == 0 && S_ISFIFO(info.st_mode);
}

/**
 * ms_pipe_output_open:
 * @folder: an open folder or AT_FDCWD
 * @wait: (nullable): how long
 *
 * Opens a device or a named pipe; waits for the reader of a pipe.
 *
 * Returns: the file, which does not block, or -1 with errno set, or -1 with @error set to %G_IO_ERROR_CANCELLED or
 *   %MS_ERROR_TIMEOUT
 */
int
ms_pipe_output_open(int folder, const char *name, const MsStreamWait *wait, GCancellable *cancellable, GError **error)
{
  const gint64 since = g_get_monotonic_time();

  for (;;) {
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0)
      return refuse_file(fd);
    /* A socket or a device without a driver answers like a pipe without a reader. */
    if (errno != ENXIO)
      return -1;
    if (!is_pipe(folder, name)) {
      errno = ENXIO;
      return -1;
    }
    if (!wait_for(-1, RETRY_MS, cancellable, error) || (wait && ms_stream_wait_is_over(wait, since, error)))
      return -1;
  }
}

static gboolean
has_room(int fd)
{
  struct pollfd one = {.fd = fd, .events = POLLOUT};

  return poll(&one, 1, 0) > 0;
}

/* Whether a write may block: pipes and devices accept only PIPE_BUF bytes for certain after poll() reports space. */
static gboolean
may_block(int fd)
{
  struct stat info;

  return !(fcntl(fd, F_GETFL) & O_NONBLOCK) && fstat(fd, &info) == 0 && !S_ISREG(info.st_mode);
}

/* Waits until @fd takes bytes; %FALSE when cancelled, or with #MS_ERROR_TIMEOUT. */
static gboolean
wait_for_room(int fd, const MsStreamWait *wait, GCancellable *cancellable, GError **error)
{
  const gint64 since = g_get_monotonic_time();

  if (!wait || wait->silence_s <= 0)
    return wait_for(fd, -1, cancellable, error);
  while (!has_room(fd)) {
    if (!wait_for(fd, (int)(wait->silence_s * 1000) + 1, cancellable, error))
      return FALSE;
    if (!has_room(fd) && ms_stream_wait_is_over(wait, since, error))
      return FALSE;
  }
  return TRUE;
}

/**
 * ms_pipe_output_write:
 * @fd: of any kind; it may block
 * @wait: (nullable): how long it may take no byte
 *
 * Returns: 0 when all is written, an errno value, or ECANCELED with @error set to %G_IO_ERROR_CANCELLED or
 *   %MS_ERROR_TIMEOUT
 */
int
ms_pipe_output_write(int fd, const void *data, gsize size, const MsStreamWait *wait, GCancellable *cancellable,
                     GError **error)
{
  const guint8 *p = data;
  gboolean blocks = may_block(fd);

  while (size > 0) {
    if (blocks && !wait_for_room(fd, wait, cancellable, error))
      return ECANCELED;
    gssize n = write(fd, p, blocks ? MIN(size, PIPE_BUF) : size);
    if (n < 0 && errno == EAGAIN && !wait_for_room(fd, wait, cancellable, error))
      return ECANCELED;
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return errno;
    p += MAX(n, 0);
    size -= (gsize)MAX(n, 0);
  }
  return 0;
}

/** ms_pipe_output_write_standard: writes to standard output; %FALSE with #MS_ERROR_IO or %G_IO_ERROR_CANCELLED. */
gboolean
ms_pipe_output_write_standard(GBytes *bytes, const MsStreamWait *wait, GCancellable *cancellable, GError **error)
{
  gsize size = 0;
  const void *data = g_bytes_get_data(bytes, &size);
  int code = ms_pipe_output_write(STDOUT_FILENO, data, size, wait, cancellable, error);

  if (code != 0 && code != ECANCELED)
    ms_set_error(error, MS_ERROR_IO, "Standard output cannot be written to: %s.", ms_errno_text(code));
  return code == 0;
}
