/* SPDX-License-Identifier: MIT */
/* MsFileStamp: size, time and hash of a file when it was read or written, by which a later run detects a change. */
#pragma once

#include <glib.h>

/**
 * MsFileStamp:
 * @known: whether there was a regular file; the other fields are 0 where there was none
 * @size: bytes
 * @modified, @modified_ns: time of the last change: seconds since 1970 and nanoseconds
 * @hash: SHA-256 of the content in hexadecimal digits; empty where it was not asked for
 */
typedef struct {
  gboolean known;
  guint64 size;
  gint64 modified;
  int modified_ns;
  char hash[65];
} MsFileStamp;

void ms_file_stamp_take(MsFileStamp *self, const char *path, gboolean with_hash);
