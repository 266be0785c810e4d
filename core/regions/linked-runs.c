/* SPDX-License-Identifier: MIT */
#include "core/regions/linked-runs.h"

#include <string.h>

#include "core/error.h"
#include "core/regions/disjoint-sets.h"
#include "core/regions/row-threads.h"

/* Rows between two checks for cancellation. */
#define ROWS_A_LOOK 32

/*
 * The runs of some rows, from number 0 on.
 * parents: of each run, itself or an earlier run of the same set
 * failed: whether there is no memory for more runs
 */
typedef struct {
  MsRun *runs;
  guint32 *parents;
  gsize n;
  gsize allocated;
  gboolean failed;
} Part;

typedef struct {
  const MsCloseness *closeness;
  GCancellable *cancellable;
  gsize *starts; /* of each row, in its part */
  Part parts[MS_ROW_THREADS_MAX];
} Finding;

/* Allocates memory for the runs of a row. */
static gboolean
reserve(Part *self, int width)
{
  if (self->n + width <= self->allocated)
    return TRUE;
  const gsize wanted = 2 * self->allocated + width;
  MsRun *runs = g_try_renew(MsRun, self->runs, wanted);
  guint32 *parents = g_try_renew(guint32, self->parents, wanted);

  if (runs)
    self->runs = runs;
  if (parents)
    self->parents = parents;
  if (runs && parents)
    self->allocated = wanted;
  self->failed = !runs || !parents;
  return !self->failed;
}

/* Bytes of a run and its parent. */
#define RUN_BYTES (sizeof(MsRun) + sizeof(guint32))

/* The most that reserve() allocates for @n runs. */
static guint64
bytes_of_part(guint64 n, int width)
{
  return RUN_BYTES * (2 * n + 3 * (guint64)width);
}

static guint64
count_runs(const MsCloseness *closeness)
{
  guint64 n = 0;

  for (int y = 0; y < closeness->height; y++) {
    const gsize row = (gsize)y * closeness->width;
    n++;
    for (int x = 1; x < closeness->width; x++)
      n += !ms_are_close(closeness, row + x, row + x - 1);
  }
  return n;
}

/* Divides row @y into runs of consecutive close pixels. */
static void
add_row(Part *self, const MsCloseness *closeness, int y)
{
  const gsize row = (gsize)y * closeness->width;

  for (int x = 0; x < closeness->width; x++)
    if (x == 0 || !ms_are_close(closeness, row + x, row + x - 1)) {
      self->parents[self->n] = (guint32)self->n;
      self->runs[self->n++] = (MsRun){x, 0};
    }
}

/* The columns @from to @to - 1 of a row. */
typedef struct {
  int from;
  int to;
} Columns;

/* Whether a pixel of row @y in the columns @run is close to one of the row above in the columns @above_run. */
static gboolean
are_linked(const MsCloseness *closeness, int y, Columns run, Columns above_run)
{
  const gsize row = (gsize)y * closeness->width, above = row - closeness->width;

  for (int x = MAX(run.from, above_run.from - 1); x < MIN(run.to, above_run.to + 1); x++)
    for (int i = MAX(x - 1, above_run.from); i <= MIN(x + 1, above_run.to - 1); i++)
      if (ms_are_close(closeness, row + x, above + i))
        return TRUE;
  return FALSE;
}

/* The columns of run @i, which is in a row of @width pixels whose runs end before @row_end. */
static Columns
columns_of(const Part *self, gsize i, gsize row_end, int width)
{
  return (Columns){self->runs[i].x, i + 1 < row_end ? self->runs[i + 1].x : width};
}

/* Row @y has the runs @first to @end - 1, the row above the runs @above to @first - 1. */
typedef struct {
  int y;
  gsize above;
  gsize first;
  gsize end;
} RowPair;

/* Joins the runs of a row with those of the row above. */
static void
join_row(Part *self, const MsCloseness *closeness, RowPair rows)
{
  const int width = closeness->width;
  gsize above = rows.above;

  for (gsize i = rows.first; i < rows.end; i++) {
    const Columns run = columns_of(self, i, rows.end, width);
    while (columns_of(self, above, rows.first, width).to < run.from)
      above++;
    for (gsize k = above; k < rows.first && self->runs[k].x <= run.to; k++) {
      const guint32 p = ms_disjoint_sets_find(self->parents, (guint32)i),
                    q = ms_disjoint_sets_find(self->parents, (guint32)k);
      if (p != q && are_linked(closeness, rows.y, run, columns_of(self, k, rows.first, width)))
        self->parents[MAX(p, q)] = MIN(p, q);
    }
  }
}

static void
find_rows(int from, int to, int number, gpointer data)
{
  Finding *self = data;
  Part *part = &self->parts[number];

  for (int y = from; y < to && reserve(part, self->closeness->width); y++) {
    if (y % ROWS_A_LOOK == 0 && g_cancellable_is_cancelled(self->cancellable))
      return;
    self->starts[y] = part->n;
    add_row(part, self->closeness, y);
    if (y > from)
      join_row(part, self->closeness, (RowPair){y, self->starts[y - 1], self->starts[y], part->n});
  }
}

/* Concatenates the parts and renumbers their runs. */
static gboolean
join_parts(Finding *self, int n_parts, Part *whole)
{
  const int height = self->closeness->height;

  for (int i = 0; i < n_parts; i++)
    whole->allocated += self->parts[i].n;
  whole->runs = g_try_new(MsRun, whole->allocated);
  whole->parents = g_try_new(guint32, whole->allocated);
  for (int i = 0; whole->runs && whole->parents && i < n_parts; i++) {
    const Part *part = &self->parts[i];
    const int end = ms_row_threads_first_row(height, n_parts, i + 1);
    memcpy(whole->runs + whole->n, part->runs, part->n * sizeof *part->runs);
    for (gsize k = 0; k < part->n; k++)
      whole->parents[whole->n + k] = (guint32)whole->n + part->parents[k];
    for (int y = ms_row_threads_first_row(height, n_parts, i); y < end; y++)
      self->starts[y] += whole->n;
    whole->n += part->n;
  }
  self->starts[height] = whole->n;
  return whole->runs && whole->parents;
}

/* Numbers the sets from 1 on in the order of their first runs; returns their number. */
static guint32
number_sets(const Part *whole)
{
  guint32 count = 0;

  for (gsize i = 0; i < whole->n; i++)
    whole->runs[i].label = whole->parents[i] == i ? ++count : whole->runs[whole->parents[i]].label;
  return count;
}

static gboolean
join_and_number(Finding *self, int n_parts, Part *whole, guint32 *count)
{
  if (!join_parts(self, n_parts, whole))
    return FALSE;
  for (int i = 1; i < n_parts; i++) {
    const int y = ms_row_threads_first_row(self->closeness->height, n_parts, i);
    join_row(whole, self->closeness, (RowPair){y, self->starts[y - 1], self->starts[y], self->starts[y + 1]});
  }
  *count = number_sets(whole);
  return TRUE;
}

static gboolean
check(const Finding *self, int n_parts)
{
  gboolean failed = FALSE;

  for (int i = 0; i < n_parts; i++)
    failed = failed || self->parts[i].failed;
  return !failed;
}

/** ms_linked_runs_bytes: the most that ms_linked_runs_new() allocates: runs in parts, and once more as a whole. */
guint64
ms_linked_runs_bytes(const MsCloseness *closeness, int n_parts)
{
  const guint64 n = count_runs(closeness);

  return bytes_of_part(n, n_parts * closeness->width) + RUN_BYTES * n +
         sizeof(gsize) * ((guint64)closeness->height + 1);
}

/**
 * ms_linked_runs_new:
 * @n_parts: of the rows, each in a thread; from 1 to MS_ROW_THREADS_MAX. The result does not depend on it.
 * @count: (out): number of sets
 *
 * Runs of close pixels are joined with those of the row above, in a union-find over runs for each part of the rows, and
 * then across the parts.
 *
 * Returns: (transfer full): runs with the number of their set, from 1 on in the order of first pixels; or %NULL with
 *   #MS_ERROR_MEMORY or G_IO_ERROR_CANCELLED
 */
MsRuns *
ms_linked_runs_new(const MsCloseness *closeness, int n_parts, guint32 *count, GCancellable *cancellable, GError **error)
{
  Finding self = {closeness, cancellable, g_new0(gsize, (gsize)closeness->height + 1), {{NULL}}};
  Part whole = {NULL};
  gboolean good;

  ms_row_threads_run(closeness->height, n_parts, find_rows, &self);
  good = !g_cancellable_set_error_if_cancelled(cancellable, error);
  if (good && (!check(&self, n_parts) || !join_and_number(&self, n_parts, &whole, count))) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the regions of %dx%d pixels.",
                 closeness->width, closeness->height);
    good = FALSE;
  }
  for (int i = 0; i < n_parts; i++) {
    g_free(self.parts[i].runs);
    g_free(self.parts[i].parents);
  }
  g_free(whole.parents);
  if (!good) {
    g_free(whole.runs);
    g_free(self.starts);
    return NULL;
  }
  MsRuns *runs = g_new(MsRuns, 1);
  *runs = (MsRuns){closeness->width, closeness->height, self.starts, whole.runs};
  return runs;
}
