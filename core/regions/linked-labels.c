/* SPDX-License-Identifier: MIT */
/*
 * Each pixel first gets a number of its set, several of which may be joined to one set. A set's first pixel has no
 * earlier neighbour in the set, so it gets the set's smallest number; final numbers replace these in the same order.
 */
#include "core/regions/linked-labels.h"

#include <string.h>

#include "core/error.h"
#include "core/regions/close-rows.h"
#include "core/regions/disjoint-sets.h"
#include "core/regions/row-threads.h"

/* Rows between two checks for cancellation. */
#define ROWS_A_LOOK 32

/*
 * labels: of each pixel, a number of its set
 * parents: of each number, itself or a smaller one of the same set, at last the final number
 * ends: after the last number of each part; those of a part begin with the number of its first pixel
 */
typedef struct {
  const MsLabelRequest *request;
  guint32 *labels;
  guint32 *parents;
  gsize ends[MS_ROW_THREADS_MAX];
} Finding;

static void
join(guint32 *parents, guint32 a, guint32 b)
{
  const guint32 p = ms_disjoint_sets_find(parents, a), q = ms_disjoint_sets_find(parents, b);

  parents[MAX(p, q)] = MIN(p, q);
}

/* Joins a pixel with those of the row above that @flags name. */
static inline void
join_above(Finding *self, gsize at, guint8 flags)
{
  const guint32 *above = self->labels + at - self->request->closeness.width, own = self->labels[at];

  if (flags & MS_CLOSE_ABOVE_LEFT)
    join(self->parents, own, above[-1]);
  if (flags & MS_CLOSE_ABOVE)
    join(self->parents, own, above[0]);
  if (flags & MS_CLOSE_ABOVE_RIGHT)
    join(self->parents, own, above[1]);
}

/* The number for a pixel that is not close to the one on its left: that of a pixel above, or the new one *@next. */
static inline guint32
begin_run(Finding *self, gsize at, guint8 flags, gsize *next)
{
  const guint32 *above = self->labels + at - self->request->closeness.width;

  if (flags & MS_CLOSE_ABOVE)
    return above[0];
  if (flags & MS_CLOSE_ABOVE_LEFT)
    return above[-1];
  if (flags & MS_CLOSE_ABOVE_RIGHT)
    return above[1];
  self->parents[*next] = (guint32)*next;
  return (guint32)(*next)++;
}

/* Numbers a row from the flags of its pixels; eight pixels in the middle of runs are numbered at once. */
static void
label_row(Finding *self, const guint8 *flags, gsize at, gsize *next)
{
  const int width = self->request->closeness.width;
  guint64 several;

  for (int x = 0; x < width; x++, at++) {
    if (x + 8 <= width && memcpy(&several, flags + x, 8) && several == 0) {
      for (int i = 0; i < 8; i++)
        self->labels[at + i] = self->labels[at - 1];
      x += 7;
      at += 7;
      continue;
    }
    self->labels[at] = flags[x] & MS_CLOSE_BEGINS ? begin_run(self, at, flags[x], next) : self->labels[at - 1];
    if (flags[x] & ~MS_CLOSE_BEGINS)
      join_above(self, at, flags[x]);
  }
}

static void
label_rows(int from, int to, int part, gpointer data)
{
  Finding *self = data;
  const gsize width = (gsize)self->request->closeness.width;
  gsize next = from * width;
  g_auto(MsCloseRows) rows = {NULL};

  ms_close_rows_init(&rows, &self->request->closeness);
  for (int y = from; y < to; y++) {
    if (y % ROWS_A_LOOK == 0 && g_cancellable_is_cancelled(self->request->cancellable))
      return;
    ms_close_rows_next(&rows, y);
    label_row(self, rows.flags, y * width, &next);
  }
  self->ends[part] = next;
}

/* Joins the first row of a part, number @y, with the row above. */
static void
join_parts(Finding *self, int y)
{
  const int width = self->request->closeness.width;
  g_auto(MsCloseRows) rows = {NULL};

  ms_close_rows_init(&rows, &self->request->closeness);
  ms_close_rows_next(&rows, y - 1);
  ms_close_rows_next(&rows, y);
  for (int x = 0; x < width; x++)
    join_above(self, (gsize)y * width + x, rows.flags[x]);
}

/* Replaces each parent by the final number of its set, from 1 on; returns the number of sets. */
static guint32
number_sets(Finding *self, int n_parts)
{
  const MsCloseness *closeness = &self->request->closeness;
  guint32 count = 0, *parents = self->parents;

  for (int part = 0; part < n_parts; part++) {
    const gsize first = (gsize)ms_row_threads_first_row(closeness->height, n_parts, part) * closeness->width;
    for (gsize i = first; i < self->ends[part]; i++)
      parents[i] = parents[i] == i ? ++count : parents[parents[i]];
  }
  return count;
}

static void
spread_rows(int from, int to, int part, gpointer data)
{
  Finding *self = data;
  const gsize width = (gsize)self->request->closeness.width;

  for (gsize i = from * width; i < to * width; i++)
    self->labels[i] = self->parents[self->labels[i]];
}

static gboolean
find(const MsLabelRequest *request, int n_parts, MsLabels *labels, GError **error)
{
  const int width = request->closeness.width, height = request->closeness.height;
  g_autofree guint32 *parents = g_try_new(guint32, (gsize)width * height);
  Finding self = {request, labels->of_pixel, parents, {0}};

  if (!parents) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the regions of %dx%d pixels.", width, height);
    return FALSE;
  }
  ms_row_threads_run(height, n_parts, label_rows, &self);
  if (g_cancellable_set_error_if_cancelled(request->cancellable, error))
    return FALSE;
  for (int i = 1; i < n_parts; i++)
    join_parts(&self, ms_row_threads_first_row(height, n_parts, i));
  labels->count = number_sets(&self, n_parts);
  ms_row_threads_run(height, n_parts, spread_rows, &self);
  return TRUE;
}

/**
 * ms_linked_labels_find:
 * @n_parts: of the rows, each in a thread; from 1 to MS_ROW_THREADS_MAX. The result does not depend on it.
 * @labels: (inout): its memory for the labels is filled; regions are those before any is merged
 *
 * Returns: %FALSE with #MS_ERROR_MEMORY, #MS_ERROR_TOO_LARGE or G_IO_ERROR_CANCELLED
 */
gboolean
ms_linked_labels_find(const MsLabelRequest *request, int n_parts, MsLabels *labels, GError **error)
{
  const guint64 n = (guint64)request->closeness.width * request->closeness.height,
                mark = ms_memory_budget_mark(request->budget);

  if (!ms_memory_budget_take(request->budget,
                             n * sizeof(guint32) + n_parts * ms_close_rows_bytes(request->closeness.width)))
    return !ms_memory_budget_fail(request->budget, error);
  const gboolean found = find(request, n_parts, labels, error);
  ms_memory_budget_return(request->budget, mark);
  return found;
}
