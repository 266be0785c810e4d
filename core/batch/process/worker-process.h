/* SPDX-License-Identifier: MIT */
/* MsWorkerProcess: a worker process with its pipes and exit status, as its parent handles it. */
#pragma once

#include <gio/gio.h>

#include "core/batch/process/worker-stderr.h"

/** MsWorkerPipes: the worker's ends of the pipes of its jobs and results. */
typedef struct {
  int jobs;
  int results;
} MsWorkerPipes;

/** MsWorkerMain: the main function of a worker that was forked from this process. */
typedef void (*MsWorkerMain)(const MsWorkerPipes *pipes, gpointer data);

/** MS_WORKER_JOBS_FD, MS_WORKER_RESULTS_FD: the pipes of a worker that was started as a program. */
#define MS_WORKER_JOBS_FD 3
#define MS_WORKER_RESULTS_FD 4

/** MS_WORKER_STREAMS_FD: the first of the files that a worker inherits for inputs and outputs that are pipes. */
#define MS_WORKER_STREAMS_FD 5

/** MS_WORKER_VARIABLE: the environment variable that makes a process a worker; its value is the device to use. */
#define MS_WORKER_VARIABLE "MEANSHIFT_LAB_WORKER"
#define MS_WORKER_REQUESTED_DEVICE "requested"
#define MS_WORKER_PROCESSOR "processor"

/**
 * MsWorkerProcess:
 * @pid: 0 if there is no process
 * @jobs: the pipe to which the jobs are written
 * @results: the pipe from which messages are read
 * @messages: its standard error
 * @status: the status of waitpid() after ms_worker_process_end()
 */
typedef struct {
  GPid pid;
  int jobs;
  int results;
  MsWorkerStderr messages;
  int status;
} MsWorkerProcess;

/**
 * MsWorkerEvent: what ms_worker_process_wait() waited for.
 * @MS_WORKER_EVENT_MESSAGE: there is a message, or the pipe is closed
 * @MS_WORKER_EVENT_STDERR: the worker wrote to standard error
 * @MS_WORKER_EVENT_SILENCE: nothing happened in the given time
 * @MS_WORKER_EVENT_CANCELLED: the caller was cancelled
 */
typedef enum {
  MS_WORKER_EVENT_MESSAGE,
  MS_WORKER_EVENT_STDERR,
  MS_WORKER_EVENT_SILENCE,
  MS_WORKER_EVENT_CANCELLED,
} MsWorkerEvent;

gboolean ms_worker_process_start(MsWorkerProcess *self, const char *const *arguments, const char *device,
                                 const GArray *files, GError **error);
MsWorkerEvent ms_worker_process_wait(const MsWorkerProcess *self, GCancellable *cancellable, int milliseconds);
gboolean ms_worker_process_fork(MsWorkerProcess *self, MsWorkerMain work, gpointer data);
gboolean ms_worker_process_take(MsWorkerProcess *self, MsWorkerProcess *waiting);
void ms_worker_process_drop(MsWorkerProcess *self);
void ms_worker_process_end(MsWorkerProcess *self, int patience_ms);
char *ms_worker_process_describe_end(const MsWorkerProcess *self);
