/* SPDX-License-Identifier: MIT */
#include "core/regions/runs.h"

#include "core/regions/row-threads.h"

typedef struct {
  MsRuns *runs;
  const guint32 *labels;
} Finding;

/* starts[y + 1] becomes the number of runs of row y. */
static void
count_runs(int from, int to, int part, gpointer data)
{
  const Finding *self = data;
  const int width = self->runs->width;

  for (int y = from; y < to; y++) {
    const guint32 *row = self->labels + (gsize)y * width;
    gsize count = 1;
    for (int x = 1; x < width; x++)
      count += row[x] != row[x - 1];
    self->runs->starts[y + 1] = count;
  }
}

static void
find_runs(int from, int to, int part, gpointer data)
{
  const Finding *self = data;
  const int width = self->runs->width;

  for (int y = from; y < to; y++) {
    const guint32 *row = self->labels + (gsize)y * width;
    MsRun *run = self->runs->runs + self->runs->starts[y];
    *run++ = (MsRun){0, row[0]};
    for (int x = 1; x < width; x++)
      if (row[x] != row[x - 1])
        *run++ = (MsRun){x, row[x]};
  }
}

/** ms_runs_bytes: what ms_runs_new() allocates. */
guint64
ms_runs_bytes(const guint32 *labels, int width, int height)
{
  guint64 n = 0;

  for (int y = 0; y < height; y++) {
    const guint32 *row = labels + (gsize)y * width;
    n++;
    for (int x = 1; x < width; x++)
      n += row[x] != row[x - 1];
  }
  return n * sizeof(MsRun) + ((guint64)height + 1) * sizeof(gsize);
}

/** ms_runs_new: (transfer full): the runs of @labels, each as long as possible. */
MsRuns *
ms_runs_new(const guint32 *labels, int width, int height)
{
  MsRuns *self = g_new(MsRuns, 1);
  Finding finding = {self, labels};
  const int n_parts = ms_row_threads_count(width, height);

  *self = (MsRuns){width, height, g_new0(gsize, (gsize)height + 1), NULL};
  ms_row_threads_run(height, n_parts, count_runs, &finding);
  for (int y = 0; y < height; y++)
    self->starts[y + 1] += self->starts[y];
  self->runs = g_new(MsRun, self->starts[height]);
  ms_row_threads_run(height, n_parts, find_runs, &finding);
  return self;
}

void
ms_runs_free(MsRuns *self)
{
  if (!self)
    return;
  g_free(self->starts);
  g_free(self->runs);
  g_free(self);
}
