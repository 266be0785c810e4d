/* SPDX-License-Identifier: MIT */
/*
 * Opening and reading files without ever waiting in silence: what a person did not name must be a file at the moment
 * when it is opened, a pipe that was named is waited for with a limit, and one place words what went wrong.
 */
#pragma once

#include <gio/gio.h>

/**
 * MsStreamWait: how long a pipe or device may give or take no byte.
 * @silence_s: the longest time; 0 for no limit, but one for a pipe that no program has opened for writing
 * @note: (nullable): called with a sentence once the wait has lasted ten seconds
 * @name: (nullable): of the pipe in messages, %NULL for standard input or output
 */
typedef struct {
  double silence_s;
  void (*note)(const char *sentence, gpointer data);
  gpointer data;
  const char *name;
} MsStreamWait;

int ms_file_open(const char *path, gboolean accepts_streams);
gssize ms_stream_read(int fd, void *buffer, gsize size, const MsStreamWait *wait, GCancellable *cancellable,
                      GError **error);

void ms_file_fail_reading(GError **error, const char *path, int code);
void ms_file_fail_writing(GError **error, const char *path, int code);
gboolean ms_stream_wait_is_over(const MsStreamWait *wait, gint64 since, GError **error);

char *ms_file_text_load(const char *path, gsize limit, gsize *length, GError **error);
char *ms_file_text_read(int fd, const char *path, gsize limit, gsize *length, GError **error);
char *ms_file_text_load_named(const char *path, gsize limit, gsize *length, GError **error);
