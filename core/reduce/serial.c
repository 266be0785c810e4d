/* SPDX-License-Identifier: MIT */
#include "core/reduce/serial.h"

#include <math.h>

#define MOST_THREADS 64

/** ms_serial_result_add: adds the sums and extremes of later elements. */
void
ms_serial_result_add(MsReduceResult *self, const MsReduceResult *more)
{
  self->sum += more->sum;
  self->sum_real += more->sum_real;
  self->squares += more->squares;
  self->squares_real += more->squares_real;
  if (more->min < self->min || (more->min == self->min && self->min_at == MS_REDUCE_NO_POSITION))
    self->min = more->min, self->min_at = more->min_at;
  if (more->max > self->max || (more->max == self->max && self->max_at == MS_REDUCE_NO_POSITION))
    self->max = more->max, self->max_at = more->max_at;
}

/* The part of one thread. */
typedef struct {
  const MsReduceSpec *spec;
  const void *data;
  gboolean vectorised;
  guint64 from;
  guint64 n;
  MsReduceResult result;
} Part;

static gpointer
fold_in_thread(gpointer data)
{
  Part *part = data;

  if (part->vectorised)
    ms_serial_loops_vectorised(part->spec, part->data, part->from, part->n, &part->result);
  else
    ms_serial_loops_plain(part->spec, part->data, part->from, part->n, &part->result);
  return NULL;
}

static gboolean
has_number(const MsReduceSpec *spec, const void *data, guint64 n)
{
  for (guint64 i = 0; i < n; i++)
    if (!isnan(spec->type == MS_ELEMENT_FLOAT ? ((const float *)data)[i] : ((const double *)data)[i]))
      return TRUE;
  return FALSE;
}

/* An infinite extreme of reals is either an element or what the loop began with, where every element is NaN. */
static void
settle_extremes(const MsReduceSpec *spec, const void *data, guint64 n, MsReduceResult *result)
{
  if (!ms_element_type_is_real(spec->type) || (isfinite(result->min) && isfinite(result->max)))
    return;
  if (!has_number(spec, data, n))
    result->min = result->max = NAN;
}

/**
 * ms_reduce_baseline:
 * @spec: the operation over a plain array
 * @n: elements
 *
 * Computes what ms_reduce_define() does, in the loops that a person would write, as the baseline of speed-ups. Sums
 * of floats are added in double without compensation.
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for an empty array
 */
gboolean
ms_reduce_baseline(const MsReduceSpec *spec, const void *data, guint64 n, const MsSerialOptions *options,
                   MsReduceResult *result, GError **error)
{
  const guint threads = (guint)CLAMP(n, 1, CLAMP(options->threads, 1, MOST_THREADS));
  GThread *running[MOST_THREADS];
  Part parts[MOST_THREADS];

  if (n == 0) {
    ms_set_error_literal(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  ms_reduce_result_begin(spec, n, result);
  for (guint i = 0; i < threads; i++) {
    const guint64 from = n / threads * i;
    parts[i] = (Part){spec, data, options->vectorised, from, i + 1 < threads ? n / threads : n - from};
    running[i] = i + 1 < threads ? g_thread_try_new("serial", fold_in_thread, &parts[i], NULL) : NULL;
    if (!running[i])
      fold_in_thread(&parts[i]);
  }
  for (guint i = 0; i < threads; i++) {
    if (running[i])
      g_thread_join(running[i]);
    ms_serial_result_add(result, &parts[i].result);
  }
  if (ms_reduce_operator_is_extreme(ms_reduce_operator(spec->op)))
    settle_extremes(spec, data, n, result);
  ms_reduce_result_complete(result);
  return TRUE;
}

/** ms_serial_compiler: (transfer none): the compiler of the serial loops and the options of each form. */
const char *
ms_serial_compiler(void)
{
  return MS_COMPILER ": plain " MS_SERIAL_PLAIN "; vectorised " MS_SERIAL_VECTORISED;
}
