/* SPDX-License-Identifier: MIT */
#include "core/filter/settings/params.h"

#include <math.h>

static gboolean
check_range(const char *name, double value, double low, double high, GError **error)
{
  char text[3][G_ASCII_DTOSTR_BUF_SIZE];

  if (value >= low && value <= high)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "%s is %s; it must be from %s to %s.", name,
               g_ascii_formatd(text[0], sizeof text[0], "%g", value),
               g_ascii_formatd(text[1], sizeof text[1], "%.10g", low),
               g_ascii_formatd(text[2], sizeof text[2], "%.10g", high));
  return FALSE;
}

static gboolean
check_whole(const char *name, double value, GError **error)
{
  if (value == floor(value))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "%s has a fraction; the rules truncate and replicate take whole numbers only. "
               "Use --rule opencv for fractions.",
               name);
  return FALSE;
}

/**
 * ms_params_validate:
 *
 * Returns: whether every number is in its range and the rule takes it; NaN is not
 */
gboolean
ms_params_validate(const MsParams *self, GError **error)
{
  if (!check_range("sp", self->sp, MS_SP_MIN, MS_SP_MAX, error) ||
      !check_range("sr", self->sr, MS_SR_MIN, MS_SR_MAX, error) ||
      !check_range("max-iterations", self->max_iterations, MS_MAX_ITERATIONS_MIN, MS_MAX_ITERATIONS_MAX, error) ||
      !check_range("epsilon", self->epsilon, MS_EPSILON_MIN, MS_EPSILON_MAX, error) ||
      !check_range("levels", self->levels, MS_LEVELS_MIN, MS_LEVELS_MAX, error))
    return FALSE;
  if (self->rule == MS_RULE_OPENCV)
    return TRUE;
  if (self->levels > 0) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "The functions that the rules truncate and replicate match have no pyramid levels. Use --rule "
                 "opencv or --levels 0.");
    return FALSE;
  }
  return check_whole("sp", self->sp, error) && check_whole("sr", self->sr, error);
}

/**
 * ms_params_numbers:
 *
 * OpenCV keeps sp in single precision and squares sr in double precision; both are reproduced, because they decide how
 * fractions near one half round.
 */
MsFilterNumbers
ms_params_numbers(const MsParams *self)
{
  double sr = MIN(self->sr, MS_SR_USEFUL_MAX);

  return (MsFilterNumbers){
    .sp = (float)self->sp,
    .isr2 = (int)rint(sr * sr),
    .max_iterations = self->max_iterations,
    .epsilon = (int)floor(self->epsilon),
  };
}

/**
 * ms_params_whole_radius:
 * @extent: the larger of width and height
 * @radius: (out): the whole radius
 *
 * Whether the window of every coordinate below @extent reaches equally far on both sides, so that a whole radius
 * describes it. False only for fractions at or next to one half, which round by the parity of the coordinate.
 */
gboolean
ms_params_whole_radius(const MsParams *self, int extent, int *radius)
{
  float sp = (float)self->sp;

  *radius = (int)rintf(sp);
  if (sp == (float)*radius)
    return TRUE;
  for (int x = 0; x < extent; x++)
    if ((int)rintf((float)x - sp) != x - *radius || (int)rintf((float)x + sp) != x + *radius)
      return FALSE;
  return TRUE;
}

/**
 * ms_params_coarser: the parameters of the next level of the pyramid: half the window radius, in single precision, but
 * at least 1; one level less; no conversion of colours, since the picture has been converted.
 */
MsParams
ms_params_coarser(const MsParams *self)
{
  MsParams params = *self;

  params.sp = MAX((float)(self->sp / 2), 1.0f);
  params.levels--;
  params.space = MS_SPACE_RGB;
  return params;
}

/**
 * ms_params_halo:
 * @height: rows of the image
 *
 * The window moves by at most its radius in each iteration, and reads as many rows again around its last place. Levels
 * of a pyramid are not considered.
 *
 * Returns: the rows above and below a row that can influence it, @height at most
 */
int
ms_params_halo(const MsParams *self, int height)
{
  return (int)MIN(ceil(self->sp) * (self->max_iterations + 1.0), height);
}

gboolean
ms_params_equal(const MsParams *a, const MsParams *b)
{
  return a->sp == b->sp && a->sr == b->sr && a->max_iterations == b->max_iterations && a->epsilon == b->epsilon &&
         a->rule == b->rule && a->levels == b->levels && a->space == b->space;
}
