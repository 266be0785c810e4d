/* SPDX-License-Identifier: MIT */
/*
 * TestStream: a picture as a stream of rows. Only the rows that have to be in memory hold its pixels, and each row of
 * the result is compared with the expected one as it is written.
 */
#pragma once

#include "core/filter/plan/job.h"

/**
 * TestStream:
 * @source: for the job, with wrong pixels where a row is not in memory
 * @stream: for the job
 * @fails_reading, @fails_writing: rows from which on that fails; 0 for never
 * @after_write: (nullable): called with @data when further rows are written
 * @n_read, @n_written: rows so far
 */
typedef struct {
  MsImage *source;
  MsRowStream stream;
  int fails_reading;
  int fails_writing;
  void (*after_write)(gpointer data);
  gpointer data;
  int n_read;
  int n_written;
  /*< private >*/
  MsImage *picture;
  MsImage *expected;
  guint8 *pixels;
  int halo;
} TestStream;

void test_stream_init(TestStream *self, MsImage *picture, MsImage *expected, int halo, int most_rows);
void test_stream_clear(TestStream *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TestStream, test_stream_clear)
