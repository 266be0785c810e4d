/* SPDX-License-Identifier: MIT */
#include "core/reduce/serial.h"

#include <math.h>

#include "core/reduce/reduce-result.h"

#define BLOCK 1024

/** Walk: elements @step bytes apart. */
typedef struct {
  const guint8 *data;
  gsize step;
  guint64 n;
} Walk;

static void
fold_integers(const MsReduceSpec *spec, const Walk *walk, MsReduceSerial *serial)
{
  gint64 block[BLOCK];

  for (guint64 done = 0; done < walk->n; done += BLOCK) {
    guint n = (guint)MIN(walk->n - done, BLOCK);
    ms_elements_to_integers(spec->type, walk->data + done * walk->step, walk->step, n, block);
    ms_reduce_operator(spec->op)->serial(block, n, done, serial);
  }
}

static double
total(double sum, double lost)
{
  return isfinite(sum) ? sum + lost : sum; /* the error of an infinite sum is NaN */
}

static void
fold_reals(const MsReduceSpec *spec, const Walk *walk, MsReduceSerial *serial)
{
  double block[BLOCK];

  for (guint64 done = 0; done < walk->n; done += BLOCK) {
    guint n = (guint)MIN(walk->n - done, BLOCK);
    ms_elements_to_doubles(spec->type, walk->data + done * walk->step, walk->step, n, block);
    ms_reduce_operator(spec->op)->serial_real(block, n, done, serial);
  }
  serial->result->sum_real = total(serial->result->sum_real, serial->sum_lost);
  serial->result->squares_real = total(serial->result->squares_real, serial->squares_lost);
}

static MsReduceResult
empty_result(const MsReduceSpec *spec, guint64 n)
{
  gboolean real = ms_element_type_is_real(spec->type);

  return (MsReduceResult){.op = spec->op,
                          .type = spec->type,
                          .n = n,
                          .min = real ? (double)NAN : (double)INFINITY,
                          .max = real ? (double)NAN : (double)-INFINITY,
                          .min_at = MS_REDUCE_NO_POSITION,
                          .max_at = MS_REDUCE_NO_POSITION};
}

/* The mean, the first of the two passes of a deviation. */
static double
mean_of(const MsReduceSpec *spec, const Walk *walk)
{
  MsReduceSpec sum = {MS_REDUCE_SUM, spec->type, spec->channel};
  MsReduceResult result = empty_result(&sum, walk->n);
  MsReduceSerial serial = {.result = &result};

  fold_reals(&sum, walk, &serial);
  return result.sum_real / (double)walk->n;
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
  const MsReduceOperator *op = ms_reduce_operator(spec->op);
  gboolean in_pixels = spec->channel >= 0;
  Walk walk = {(const guint8 *)data + (in_pixels ? spec->channel : 0), in_pixels ? 4 : ms_element_type_size(spec->type),
               n};
  MsReduceSerial serial = {.result = result};

  if (n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  *result = empty_result(spec, n);
  if (!ms_element_type_is_real(spec->type)) {
    fold_integers(spec, &walk, &serial);
  } else {
    double mean = op->about_centre ? mean_of(spec, &walk) : 0;
    result->centre = isfinite(mean) ? mean : 0;
    fold_reals(spec, &walk, &serial);
  }
  if (!op->positions)
    result->min_at = result->max_at = MS_REDUCE_NO_POSITION;
  ms_reduce_result_complete(result);
  return TRUE;
}
