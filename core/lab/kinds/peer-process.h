/* SPDX-License-Identifier: MIT */
/* MsPeerProcess: an interpreter of Python that runs a function of OpenCV and exchanges two files with this program. */
#pragma once

#include <gio/gio.h>

/**
 * MsPeerTask: what the interpreter is to run.
 * @what: the function, for messages: "OpenCV's filter"
 * @arguments: (array zero-terminated=1): of data/experiments/peer.py, without the two files
 * @data: (array length=bytes): the input
 * @opencl_device: (nullable): the device of OpenCV's OpenCL functions, as OPENCV_OPENCL_DEVICE names it
 */
typedef struct {
  const char *what;
  const char *const *arguments;
  const void *data;
  gsize bytes;
  const char *opencl_device;
} MsPeerTask;

/** MsPeerProcess: zero-initialised; ms_peer_process_clear() ends it and removes its files. */
typedef struct {
  char *folder;
  char *input;
  char *output;
  GSubprocess *process;
  GDataInputStream *answers;
} MsPeerProcess;

gboolean ms_peer_process_start(MsPeerProcess *self, const MsPeerTask *task, GCancellable *cancellable, GError **error);
gboolean ms_peer_process_run(MsPeerProcess *self, double *ns, GCancellable *cancellable, GError **error);
char *ms_peer_process_save(MsPeerProcess *self, gsize bytes, GCancellable *cancellable, GError **error);
void ms_peer_process_clear(MsPeerProcess *self);
