/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-result.h"

#include <math.h>

/* Sums of reals are of distances from the centre: mean and deviation follow from them, then the elements' own sums. */
static void
complete_about_centre(MsReduceResult *self)
{
  double n = (double)self->n, distance = self->sum_real / n;
  double variance = self->squares_real / n - distance * distance;

  self->stddev = variance != variance ? variance : sqrt(fmax(variance, 0.0));
  self->mean = self->centre + distance;
  self->squares_real += n * self->centre * (self->centre + 2 * distance);
  self->sum_real += n * self->centre;
}

/* The variance of integers, about the integer part of the mean, so that no product exceeds 128 bits. */
static double
deviation(const MsReduceResult *self)
{
  double n = (double)self->n;
  MsWide shift = self->sum / (MsWide)self->n, rest = self->sum - shift * (MsWide)self->n;
  MsWide around = self->squares - 2 * shift * self->sum + shift * shift * (MsWide)self->n;
  double mean_rest = (double)rest / n;

  return sqrt(fmax((double)around / n - mean_rest * mean_rest, 0.0));
}

/** ms_reduce_result_complete: derives the sums as double, the mean and the standard deviation. */
void
ms_reduce_result_complete(MsReduceResult *self)
{
  const MsReduceOperator *op = ms_reduce_operator(self->op);
  gboolean real = ms_reduce_operator_total_is_real(op, self->type);

  if (op->about_centre && real) {
    complete_about_centre(self);
    return;
  }
  if (!real) {
    self->sum_real = (double)self->sum;
    self->squares_real = (double)self->squares;
  }
  self->mean = self->sum_real / (double)self->n;
  if (op->about_centre)
    self->stddev = deviation(self);
}

/** ms_reduce_result_number: the result as double; of minMax, the minimum. */
double
ms_reduce_result_number(const MsReduceResult *self)
{
  return ms_reduce_operator(self->op)->number(self);
}

/** ms_reduce_result_to_string: (transfer full): all digits, in the C locale; "MIN MAX" for minMax. */
char *
ms_reduce_result_to_string(const MsReduceResult *self)
{
  return ms_reduce_operator(self->op)->text(self);
}

/**
 * ms_reduce_result_agrees:
 * @tolerance: relative, for what is computed from sums of floating-point elements; everything else must be equal
 */
gboolean
ms_reduce_result_agrees(const MsReduceResult *self, const MsReduceResult *reference, double tolerance)
{
  const MsReduceOperator *op = ms_reduce_operator(self->op);
  gboolean real = ms_reduce_operator_total_is_real(op, self->type);

  if (op->exact && !real && *op->exact(self) != *op->exact(reference))
    return FALSE;
  return op->agrees(self, reference, real ? tolerance : 0);
}
