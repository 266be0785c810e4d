/* SPDX-License-Identifier: MIT */
/* MsRuns: a label image as runs, pixels of a row that follow each other with one label. */
#pragma once

#include <glib.h>

/** MsRun: @x: its first column; it ends before the next run of its row, or with the row */
typedef struct {
  int x;
  guint32 label;
} MsRun;

/**
 * MsRuns:
 * @starts: row y has the runs @starts[y] to @starts[y + 1] - 1 of @runs; neighbours may have the same label
 */
typedef struct {
  int width;
  int height;
  gsize *starts;
  MsRun *runs;
} MsRuns;

/** MsPairFunc: two labels that touch, which differ; the first is that of the pixel that comes later. */
typedef void (*MsPairFunc)(gpointer data, guint32 later, guint32 earlier);

guint64 ms_runs_bytes(const guint32 *labels, int width, int height);
MsRuns *ms_runs_new(const guint32 *labels, int width, int height);
void ms_runs_free(MsRuns *self);

/* The column after the last one of run number @i, which is in row @y. */
static inline int
ms_runs_end(const MsRuns *self, int y, gsize i)
{
  return i + 1 < self->starts[y + 1] ? self->runs[i + 1].x : self->width;
}

/*
 * Calls @func for labels of runs of row @y that differ and are among each other's eight neighbours, and for those of a
 * run of row @y and one of the row above. It is defined here so that compilers insert @func in the loop.
 */
static inline void
ms_runs_each_pair(const MsRuns *self, int y, MsPairFunc func, gpointer data)
{
  gsize above = y > 0 ? self->starts[y - 1] : 0;
  const gsize first = self->starts[y], end = self->starts[y + 1], above_end = y > 0 ? first : 0;

  for (gsize i = first; i < end; i++) {
    const MsRun *run = &self->runs[i];
    const int last = ms_runs_end(self, y, i);

    if (i > first && run->label != run[-1].label)
      func(data, run->label, run[-1].label);
    while (above < above_end && ms_runs_end(self, y - 1, above) < run->x)
      above++;
    for (gsize k = above; k < above_end && self->runs[k].x <= last; k++)
      if (self->runs[k].label != run->label)
        func(data, run->label, self->runs[k].label);
  }
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsRuns, ms_runs_free)
