/* SPDX-License-Identifier: MIT */
#include "core/regions/row-threads.h"

/* Starting a thread takes about as long as this many pixels. */
#define PIXELS_OF_A_PART 32768

typedef struct {
  MsRowsFunc func;
  gpointer data;
  int from;
  int to;
  int part;
} Part;

static gpointer
run_part(gpointer data)
{
  const Part *part = data;

  part->func(part->from, part->to, part->part, part->data);
  return NULL;
}

/** ms_row_threads_count: the number of parts for this many pixels, at most one for each processor. */
int
ms_row_threads_count(int width, int height)
{
  const guint64 parts = (guint64)width * (guint64)height / PIXELS_OF_A_PART;
  const int most = MIN(MIN((int)g_get_num_processors(), MS_ROW_THREADS_MAX), height);

  return (int)CLAMP(parts, 1, (guint64)most);
}

/** ms_row_threads_first_row: the first row of part number @part; of @part equal to @n_parts the height. */
int
ms_row_threads_first_row(int height, int n_parts, int part)
{
  return (int)((gint64)height * part / n_parts);
}

/**
 * ms_row_threads_run:
 * @n_parts: from 1 to MS_ROW_THREADS_MAX
 *
 * Calls @func once for each part, each in a thread except for the first, and returns after all have returned. A part
 * for which the system has no thread is computed in the caller's.
 */
void
ms_row_threads_run(int height, int n_parts, MsRowsFunc func, gpointer data)
{
  Part parts[MS_ROW_THREADS_MAX];
  GThread *threads[MS_ROW_THREADS_MAX] = {NULL};

  for (int i = n_parts - 1; i >= 0; i--) {
    parts[i] = (Part){func, data, ms_row_threads_first_row(height, n_parts, i),
                      ms_row_threads_first_row(height, n_parts, i + 1), i};
    if (i > 0)
      threads[i] = g_thread_try_new("ms-rows", run_part, &parts[i], NULL);
    if (!threads[i])
      run_part(&parts[i]);
  }
  for (int i = 1; i < n_parts; i++)
    if (threads[i])
      g_thread_join(threads[i]);
}
