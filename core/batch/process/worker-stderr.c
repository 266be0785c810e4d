/* SPDX-License-Identifier: MIT */
#include "core/batch/process/worker-stderr.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are kept, enough for the last lines of a compiler. */
#define MOST_KEPT 4096

static void
pass_on(const char *data, gsize size)
{
  while (size > 0) {
    gssize n = write(STDERR_FILENO, data, size);
    if (n <= 0)
      return;
    data += n;
    size -= (gsize)n;
  }
}

/** ms_worker_stderr_read: reads the bytes that the worker has written; blocks until there are any. */
void
ms_worker_stderr_read(MsWorkerStderr *self)
{
  char buffer[MOST_KEPT];
  gssize n = read(self->fd, buffer, sizeof buffer);

  if (n <= 0) {
    close(self->fd);
    self->fd = -1;
    return;
  }
  if (self->is_passed_on)
    pass_on(buffer, (gsize)n);
  g_string_append_len(self->end, buffer, n);
  if (self->end->len > MOST_KEPT)
    g_string_erase(self->end, 0, (gssize)(self->end->len - MOST_KEPT));
}

/** ms_worker_stderr_pass_on: writes what was kept, and from now on everything, to standard error. */
void
ms_worker_stderr_pass_on(MsWorkerStderr *self)
{
  pass_on(self->end->str, self->end->len);
  self->is_passed_on = TRUE;
}

/**
 * ms_worker_stderr_finish: reads the rest and closes the pipe. A process that the driver started may still hold the
 * other end, so the end of the file is not waited for.
 */
void
ms_worker_stderr_finish(MsWorkerStderr *self)
{
  struct pollfd fd = {.fd = self->fd, .events = POLLIN};

  while (self->fd >= 0 && poll(&fd, 1, 0) > 0)
    ms_worker_stderr_read(self);
  if (self->fd >= 0)
    close(self->fd);
  self->fd = -1;
}

static gboolean
tells_error(const char *line)
{
  return strstr(line, "rror:") || strstr(line, "ERROR") || strstr(line, "ssert");
}

/**
 * ms_worker_stderr_find_error:
 *
 * Returns: (transfer full) (nullable): the first line that reports an error, since hints follow it; else the last line
 */
char *
ms_worker_stderr_find_error(const MsWorkerStderr *self)
{
  g_auto(GStrv) lines = g_strsplit(self->end->str, "\n", -1);
  const char *found = NULL;

  for (guint i = 0; lines[i] && !(found && tells_error(found)); i++)
    if (*g_strstrip(lines[i]))
      found = lines[i];
  return g_strdup(found);
}
