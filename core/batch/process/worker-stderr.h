/* SPDX-License-Identifier: MIT */
/* MsWorkerStderr: the standard error of a worker, in which a driver says why it ends the process. */
#pragma once

#include <glib.h>

/**
 * MsWorkerStderr:
 * @fd: the pipe to read from, -1 once it is closed
 * @is_passed_on: whether it is written to standard error; until then it is kept
 * @end: the last bytes that were read
 */
typedef struct {
  int fd;
  gboolean is_passed_on;
  GString *end;
} MsWorkerStderr;

void ms_worker_stderr_read(MsWorkerStderr *self);
void ms_worker_stderr_pass_on(MsWorkerStderr *self);
void ms_worker_stderr_finish(MsWorkerStderr *self);
char *ms_worker_stderr_find_error(const MsWorkerStderr *self);
