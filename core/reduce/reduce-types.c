/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-types.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What can be asked for: the operations in their order, and one of them with more than its figures. */
static const char *const request_names[] = {"sum",         "min",  "max",    "minMax",           "count-nonzero",
                                            "sum-squares", "mean", "stddev", "minMax-positions", NULL};
static const char *const type_names[] = {"uchar", "char", "ushort", "short", "int", "uint", "float", "double", NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(request_names) == MS_REDUCE_N_OPS + 2);
G_STATIC_ASSERT(G_N_ELEMENTS(type_names) == MS_ELEMENT_N_TYPES + 1);

/* Names are matched in any case, so that minmax and minMax are one. */
static int
find_name(const char *const *names, const char *text)
{
  for (int i = 0; names[i]; i++)
    if (g_ascii_strcasecmp(names[i], text) == 0)
      return i;
  return -1;
}

static int
parse_name(const char *const *names, const char *option, const char *text, GError **error)
{
  int index = find_name(names, text);

  if (index >= 0)
    return index;
  g_autofree char *choices = g_strjoinv(", ", (char **)names);
  g_set_error(error, MS_ERROR, MS_ERROR_USAGE, "%s cannot be “%s”; it takes one of: %s.", option, text, choices);
  return -1;
}

const char *
ms_reduce_op_name(MsReduceOp op)
{
  return request_names[op];
}

/** ms_reduce_request_names: (transfer none): what ms_reduce_op_parse() takes, %NULL at the end. */
const char *const *
ms_reduce_request_names(void)
{
  return request_names;
}

/**
 * ms_reduce_op_parse:
 * @positions: (out): whether the places of the extremes are asked for too
 *
 * Reads the argument of --reduce.
 *
 * Returns: %FALSE with #MS_ERROR_USAGE and the names that it takes
 */
gboolean
ms_reduce_op_parse(const char *text, MsReduceOp *op, gboolean *positions, GError **error)
{
  int index = parse_name(request_names, "--reduce", text, error);

  if (index < 0)
    return FALSE;
  *positions = index == MS_REDUCE_N_OPS;
  *op = *positions ? MS_REDUCE_MINMAX : (MsReduceOp)index;
  return TRUE;
}

/** ms_element_type_name: the type as OpenCL C and --type spell it. */
const char *
ms_element_type_name(MsElementType type)
{
  return type_names[type];
}

const char *const *
ms_element_type_names(void)
{
  return type_names;
}

/** ms_element_type_parse: reads the argument of --type; %FALSE with #MS_ERROR_USAGE and the names that it takes. */
gboolean
ms_element_type_parse(const char *text, MsElementType *type, GError **error)
{
  int index = parse_name(type_names, "--type", text, error);

  if (index >= 0)
    *type = (MsElementType)index;
  return index >= 0;
}

/** ms_element_type_size: bytes of one element. */
gsize
ms_element_type_size(MsElementType type)
{
  static const gsize sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};

  return sizes[type];
}

gboolean
ms_element_type_is_real(MsElementType type)
{
  return type == MS_ELEMENT_FLOAT || type == MS_ELEMENT_DOUBLE;
}

gboolean
ms_element_type_is_signed(MsElementType type)
{
  return type == MS_ELEMENT_CHAR || type == MS_ELEMENT_SHORT || type == MS_ELEMENT_INT || ms_element_type_is_real(type);
}

/** ms_wide_to_string: (transfer full): the number in decimal digits. */
char *
ms_wide_to_string(MsWide value)
{
  gboolean negative = value < 0;
  char digits[48], *at = digits + sizeof digits - 1;

  *at = '\0';
  do {
    int digit = (int)(value % 10);
    *--at = (char)('0' + (negative ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative)
    *--at = '-';
  return g_strdup(at);
}

/*
 * Real sums are those of distances from the centre. They become those of the elements, mean and deviation coming first.
 */
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

/* The variance of integers as n * squares - sum², which is exact. */
static double
deviation(const MsReduceResult *self)
{
  double n = (double)self->n;

  /* Around the whole part of the mean, so that neither product leaves 128 bits. */
  MsWide shift = self->sum / (MsWide)self->n, rest = self->sum - shift * (MsWide)self->n;
  MsWide around = self->squares - 2 * shift * self->sum + shift * shift * (MsWide)self->n;
  double mean_rest = (double)rest / n;
  return sqrt(fmax((double)around / n - mean_rest * mean_rest, 0.0));
}

/**
 * ms_reduce_result_complete:
 *
 * Derives what follows from the folded fields: the sums as double, the mean and the standard deviation.
 */
void
ms_reduce_result_complete(MsReduceResult *self)
{
  if (self->op == MS_REDUCE_STDDEV && ms_element_type_is_real(self->type)) {
    complete_about_centre(self);
    return;
  }
  if (!ms_element_type_is_real(self->type)) {
    self->sum_real = (double)self->sum;
    self->squares_real = (double)self->squares;
  }
  self->mean = self->sum_real / (double)self->n;
  if (self->op == MS_REDUCE_STDDEV)
    self->stddev = deviation(self);
}

/** ms_reduce_result_number: the headline as double: the sum, the minimum (of minMax too), the count, … */
double
ms_reduce_result_number(const MsReduceResult *self)
{
  switch (self->op) {
  case MS_REDUCE_SUM:
    return self->sum_real;
  case MS_REDUCE_MIN:
  case MS_REDUCE_MINMAX:
    return self->min;
  case MS_REDUCE_MAX:
    return self->max;
  case MS_REDUCE_COUNT_NONZERO:
    return (double)self->nonzero;
  case MS_REDUCE_SUM_SQUARES:
    return self->squares_real;
  case MS_REDUCE_MEAN:
    return self->mean;
  default:
    return self->stddev;
  }
}

static char *
number_text(double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup(g_ascii_dtostr(text, sizeof text, value));
}

static char *
extremes_text(const MsReduceResult *self)
{
  g_autofree char *low = number_text(self->min);
  g_autofree char *high = number_text(self->max);

  if (self->min_at == MS_REDUCE_NO_POSITION)
    return g_strdup_printf("%s %s", low, high);
  return g_strdup_printf("%s at %" G_GUINT64_FORMAT ", %s at %" G_GUINT64_FORMAT, low, self->min_at, high,
                         self->max_at);
}

/** ms_reduce_result_to_string: (transfer full): all digits, in the C locale; "min max" for minMax. */
char *
ms_reduce_result_to_string(const MsReduceResult *self)
{
  gboolean whole = !ms_element_type_is_real(self->type);

  switch (self->op) {
  case MS_REDUCE_SUM:
    return whole ? ms_wide_to_string(self->sum) : number_text(self->sum_real);
  case MS_REDUCE_SUM_SQUARES:
    return whole ? ms_wide_to_string(self->squares) : number_text(self->squares_real);
  case MS_REDUCE_COUNT_NONZERO:
    return g_strdup_printf("%" G_GUINT64_FORMAT, self->nonzero);
  case MS_REDUCE_MINMAX:
    return extremes_text(self);
  default:
    return number_text(ms_reduce_result_number(self));
  }
}

static gboolean
same_number(double a, double b)
{
  return a == b || (a != a && b != b);
}

static gboolean
near_number(double a, double b, double tolerance)
{
  return same_number(a, b) || fabs(a - b) <= tolerance * fabs(b);
}

/* Below the last digits of the mean a deviation is rounding alone. */
static gboolean
near_deviation(const MsReduceResult *a, const MsReduceResult *b, double tolerance)
{
  return same_number(a->stddev, b->stddev) ||
         fabs(a->stddev - b->stddev) <= tolerance * b->stddev + 4 * DBL_EPSILON * fabs(b->mean);
}

static gboolean
same_extremes(const MsReduceResult *a, const MsReduceResult *b)
{
  return same_number(a->min, b->min) && same_number(a->max, b->max) && a->min_at == b->min_at && a->max_at == b->max_at;
}

/**
 * ms_reduce_result_agrees:
 * @tolerance: relative, for what is computed from sums of floating-point elements; everything else must be equal
 */
gboolean
ms_reduce_result_agrees(const MsReduceResult *self, const MsReduceResult *reference, double tolerance)
{
  gboolean real = ms_element_type_is_real(self->type);

  switch (self->op) {
  case MS_REDUCE_SUM:
    return real ? near_number(self->sum_real, reference->sum_real, tolerance) : self->sum == reference->sum;
  case MS_REDUCE_SUM_SQUARES:
    return real ? near_number(self->squares_real, reference->squares_real, tolerance)
                : self->squares == reference->squares;
  case MS_REDUCE_COUNT_NONZERO:
    return self->nonzero == reference->nonzero;
  case MS_REDUCE_MIN:
    return same_number(self->min, reference->min);
  case MS_REDUCE_MAX:
    return same_number(self->max, reference->max);
  case MS_REDUCE_MINMAX:
    return same_extremes(self, reference);
  case MS_REDUCE_MEAN:
    return near_number(self->mean, reference->mean, real ? tolerance : 0);
  default:
    return real ? near_deviation(self, reference, tolerance) : self->stddev == reference->stddev;
  }
}
