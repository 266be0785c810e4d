/* SPDX-License-Identifier: MIT */
/* Divides the rows of an image among threads, one part each. */
#pragma once

#include <glib.h>

/* The most parts into which rows are divided. */
#define MS_ROW_THREADS_MAX 8

/** MsRowsFunc: computes the rows @from to @to - 1, which are part number @part. */
typedef void (*MsRowsFunc)(int from, int to, int part, gpointer data);

int ms_row_threads_count(int width, int height);
int ms_row_threads_first_row(int height, int n_parts, int part);
void ms_row_threads_run(int height, int n_parts, MsRowsFunc func, gpointer data);
