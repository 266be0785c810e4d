/* SPDX-License-Identifier: MIT */
#include "core/image/file/pipe-output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

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

/**
 * ms_pipe_output_open:
 * @folder: an open folder or AT_FDCWD
 * @flags: for openat(), besides O_WRONLY and O_CLOEXEC
 *
 * Opens a device or a named pipe; waits for the reader of a pipe.
 *
 * Returns: the file, which does not block, or -1 with errno set, or -1 with @error set to %G_IO_ERROR_CANCELLED
 */
int
ms_pipe_output_open(int folder, const char *name, int flags, GCancellable *cancellable, GError **error)
{
  for (;;) {
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (fd >= 0 || errno != ENXIO)
      return fd;
    if (!wait_for(-1, RETRY_MS, cancellable, error))
      return -1;
  }
}

/* Whether a write may block: pipes and devices accept only PIPE_BUF bytes for certain after poll() reports space. */
static gboolean
may_block(int fd)
{
  struct stat info;

  return !(fcntl(fd, F_GETFL) & O_NONBLOCK) && fstat(fd, &info) == 0 && !S_ISREG(info.st_mode);
}

/**
 * ms_pipe_output_write:
 * @fd: of any kind; it may block
 *
 * Returns: 0 when all is written, an errno value, or ECANCELED with @error set to %G_IO_ERROR_CANCELLED
 */
int
ms_pipe_output_write(int fd, const void *data, gsize size, GCancellable *cancellable, GError **error)
{
  const guint8 *p = data;
  gboolean blocks = may_block(fd);

  while (size > 0) {
    if (blocks && !wait_for(fd, -1, cancellable, error))
      return ECANCELED;
    gssize n = write(fd, p, blocks ? MIN(size, PIPE_BUF) : size);
    if (n < 0 && errno == EAGAIN && !wait_for(fd, -1, cancellable, error))
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
ms_pipe_output_write_standard(GBytes *bytes, GCancellable *cancellable, GError **error)
{
  gsize size = 0;
  const void *data = g_bytes_get_data(bytes, &size);
  int code = ms_pipe_output_write(STDOUT_FILENO, data, size, cancellable, error);

  if (code != 0 && code != ECANCELED)
    ms_set_error(error, MS_ERROR_IO, "Standard output cannot be written to: %s.", g_strerror(code));
  return code == 0;
}
