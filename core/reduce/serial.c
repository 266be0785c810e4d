/* SPDX-License-Identifier: MIT */
#include "core/reduce/serial.h"

#include <math.h>
#include <string.h>

/* The step from one element to the next, in bytes, and the bytes that belong to the channel. */
typedef struct {
  const guint8 *data;
  gsize step;
  guint64 n;
} Walk;

#define WALK_INTEGERS(ctype)                                                                                           \
  for (guint64 i = 0; i < walk->n; i++) {                                                                              \
    ctype x;                                                                                                           \
    memcpy(&x, walk->data + i * walk->step, sizeof x);                                                                 \
    sum += x;                                                                                                          \
    squares += (MsWide)x * x;                                                                                          \
    result->nonzero += x != 0;                                                                                         \
    if (i == 0 || x < low)                                                                                             \
      low = x, low_at = i;                                                                                             \
    if (i == 0 || x > high)                                                                                            \
      high = x, high_at = i;                                                                                           \
  }

static void
fold_integers(MsElementType type, const Walk *walk, MsReduceResult *result)
{
  MsWide sum = 0, squares = 0;
  gint64 low = 0, high = 0;
  guint64 low_at = 0, high_at = 0;

  switch (type) {
  case MS_ELEMENT_UCHAR:
    WALK_INTEGERS(guint8)
    break;
  case MS_ELEMENT_CHAR:
    WALK_INTEGERS(gint8)
    break;
  case MS_ELEMENT_USHORT:
    WALK_INTEGERS(guint16)
    break;
  case MS_ELEMENT_SHORT:
    WALK_INTEGERS(gint16)
    break;
  case MS_ELEMENT_INT:
    WALK_INTEGERS(gint32)
    break;
  default:
    WALK_INTEGERS(guint32)
    break;
  }
  result->sum = sum;
  result->squares = squares;
  result->min = (double)low;
  result->max = (double)high;
  result->min_at = low_at;
  result->max_at = high_at;
}

static double
real_at(MsElementType type, const Walk *walk, guint64 i)
{
  float narrow;
  double wide;

  if (type == MS_ELEMENT_DOUBLE) {
    memcpy(&wide, walk->data + i * walk->step, sizeof wide);
    return wide;
  }
  memcpy(&narrow, walk->data + i * walk->step, sizeof narrow);
  return narrow;
}

/* Adds with the error kept apart (Neumaier); an error that is not finite belongs to a sum that is not. */
static void
add(double *sum, double *lost, double x)
{
  double next = *sum + x;

  *lost += fabs(*sum) >= fabs(x) ? (*sum - next) + x : (x - next) + *sum;
  *sum = next;
}

static double
total(double sum, double lost)
{
  return isfinite(sum) ? sum + lost : sum;
}

/* Sums of the distances from the centre, which is zero for everything but the second pass of a deviation. */
static void
fold_reals(MsElementType type, const Walk *walk, MsReduceResult *result)
{
  double sum = 0, sum_lost = 0, squares = 0, squares_lost = 0;

  result->min = result->max = NAN;
  for (guint64 i = 0; i < walk->n; i++) {
    double x = real_at(type, walk, i), distance = x - result->centre;
    add(&sum, &sum_lost, distance);
    add(&squares, &squares_lost, distance * distance);
    result->nonzero += x != 0;
    if (x < result->min || (isnan(result->min) && !isnan(x)))
      result->min = x, result->min_at = i;
    if (x > result->max || (isnan(result->max) && !isnan(x)))
      result->max = x, result->max_at = i;
  }
  result->sum_real = total(sum, sum_lost);
  result->squares_real = total(squares, squares_lost);
}

/* In two passes: the mean, then the distances from it. */
static void
fold_deviation(MsElementType type, const Walk *walk, MsReduceResult *result)
{
  fold_reals(type, walk, result);
  double mean = result->sum_real / (double)walk->n;
  if (!isfinite(mean))
    return;
  result->centre = mean;
  result->nonzero = 0;
  fold_reals(type, walk, result);
}

/**
 * ms_reduce_serial:
 * @spec: as for a plan; with a channel, @data are 8UC4 pixels
 * @n: elements, or pixels
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for an empty array
 */
gboolean
ms_reduce_serial(const MsReduceSpec *spec, const void *data, guint64 n, MsReduceResult *result, GError **error)
{
  gboolean in_pixels = spec->channel >= 0;
  Walk walk = {(const guint8 *)data + (in_pixels ? spec->channel : 0), in_pixels ? 4 : ms_element_type_size(spec->type),
               n};

  if (n == 0) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  *result = (MsReduceResult){
    .op = spec->op, .type = spec->type, .n = n, .min_at = MS_REDUCE_NO_POSITION, .max_at = MS_REDUCE_NO_POSITION};
  if (ms_element_type_is_real(spec->type) && spec->op == MS_REDUCE_STDDEV)
    fold_deviation(spec->type, &walk, result);
  else if (ms_element_type_is_real(spec->type))
    fold_reals(spec->type, &walk, result);
  else
    fold_integers(spec->type, &walk, result);
  if (!spec->positions)
    result->min_at = result->max_at = MS_REDUCE_NO_POSITION;
  ms_reduce_result_complete(result);
  return TRUE;
}
