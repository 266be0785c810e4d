/* SPDX-License-Identifier: MIT */
#include "core/reduce/operators.h"

#include <glib/gi18n-lib.h>
#include <float.h>
#include <math.h>

#define ALL_TYPES ((1u << MS_ELEMENT_N_TYPES) - 1)

/* Serial code, integers: exact in 128 bits. */

static void
add_elements(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  gint64 sum = 0; /* a block of 32-bit elements cannot overflow it */

  for (guint i = 0; i < n; i++)
    sum += x[i];
  serial->result->sum += sum;
}

static void
add_absolutes(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++)
    serial->result->sum += ABS(x[i]);
}

static void
add_nonzeros(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++)
    serial->result->sum += x[i] != 0;
}

static void
add_squares(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++)
    serial->result->squares += (MsWide)x[i] * x[i];
}

static void
add_moments(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  add_elements(x, n, first, serial);
  add_squares(x, n, first, serial);
}

static void
select_extremes(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  MsReduceResult *result = serial->result;

  for (guint i = 0; i < n; i++) {
    if ((double)x[i] < result->min)
      result->min = (double)x[i], result->min_at = first + i;
    if ((double)x[i] > result->max)
      result->max = (double)x[i], result->max_at = first + i;
  }
}

/* Serial code, reals. */

/* Neumaier's compensated addition. */
static void
add_real(double *sum, double *lost, double x)
{
  double next = *sum + x;

  *lost += fabs(*sum) >= fabs(x) ? (*sum - next) + x : (x - next) + *sum;
  *sum = next;
}

static void
add_real_elements(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++)
    add_real(&serial->result->sum_real, &serial->sum_lost, x[i]);
}

static void
add_real_absolutes(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++)
    add_real(&serial->result->sum_real, &serial->sum_lost, fabs(x[i]));
}

static void
add_real_nonzeros(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++)
    serial->result->sum += x[i] != 0;
}

static void
add_real_squares(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++)
    add_real(&serial->result->squares_real, &serial->squares_lost, x[i] * x[i]);
}

static void
add_real_moments(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  for (guint i = 0; i < n; i++) {
    double distance = x[i] - serial->result->centre;
    add_real(&serial->result->sum_real, &serial->sum_lost, distance);
    add_real(&serial->result->squares_real, &serial->squares_lost, distance * distance);
  }
}

/* NaN compares false, so it is selected only where every element is NaN; see ms_reduce_serial(). */
static void
select_real_extremes(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  MsReduceResult *result = serial->result;

  for (guint i = 0; i < n; i++) {
    if (x[i] < result->min || (isnan(result->min) && !isnan(x[i])))
      result->min = x[i], result->min_at = first + i;
    if (x[i] > result->max || (isnan(result->max) && !isnan(x[i])))
      result->max = x[i], result->max_at = first + i;
  }
}

/* Results. */

static const MsWide *
exact_sum(const MsReduceResult *result)
{
  return &result->sum;
}

static const MsWide *
exact_squares(const MsReduceResult *result)
{
  return &result->squares;
}

#define NUMBER_OF(name, expression)                                                                                    \
  static double name(const MsReduceResult *result)                                                                     \
  {                                                                                                                    \
    return expression;                                                                                                 \
  }

NUMBER_OF(sum_of, result->sum_real)
NUMBER_OF(squares_of, result->squares_real)
NUMBER_OF(norm_of, sqrt(result->squares_real))
NUMBER_OF(mean_of, result->mean)
NUMBER_OF(deviation_of, result->stddev)
NUMBER_OF(minimum_of, result->min)
NUMBER_OF(maximum_of, result->max)

static char *
double_text(double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup(g_ascii_dtostr(text, sizeof text, value));
}

static char *
number_text(const MsReduceResult *result)
{
  return double_text(ms_reduce_operator(result->op)->number(result));
}

/* All digits of an exact total. */
static char *
total_text(const MsReduceResult *result)
{
  const MsReduceOperator *op = ms_reduce_operator(result->op);

  if (ms_reduce_operator_total_is_real(op, result->type))
    return number_text(result);
  return ms_wide_to_string(*op->exact(result));
}

static char *
extremes_text(const MsReduceResult *result)
{
  g_autofree char *low = double_text(result->min);
  g_autofree char *high = double_text(result->max);

  return g_strdup_printf("%s %s", low, high);
}

static char *
positions_text(const MsReduceResult *result)
{
  g_autofree char *low = double_text(result->min);
  g_autofree char *high = double_text(result->max);

  if (result->min_at == MS_REDUCE_NO_POSITION)
    return g_strdup_printf("%s %s", low, high);
  return g_strdup_printf("%s at %" G_GUINT64_FORMAT ", %s at %" G_GUINT64_FORMAT, low, result->min_at, high,
                         result->max_at);
}

static gboolean
same_number(double a, double b)
{
  return a == b || (a != a && b != b);
}

static gboolean
number_agrees(const MsReduceResult *result, const MsReduceResult *reference, double tolerance)
{
  double (*number)(const MsReduceResult *) = ms_reduce_operator(result->op)->number;
  double a = number(result), b = number(reference);

  return same_number(a, b) || fabs(a - b) <= tolerance * fabs(b);
}

static gboolean
is_equal(const MsReduceResult *result, const MsReduceResult *reference, double tolerance)
{
  return number_agrees(result, reference, 0);
}

/* A deviation smaller than the last digit of the mean is rounding error. */
static gboolean
deviation_agrees(const MsReduceResult *result, const MsReduceResult *reference, double tolerance)
{
  double a = result->stddev, b = reference->stddev;

  return same_number(a, b) || (tolerance > 0 && fabs(a - b) <= tolerance * b + 4 * DBL_EPSILON * fabs(reference->mean));
}

static gboolean
extremes_agree(const MsReduceResult *result, const MsReduceResult *reference, double tolerance)
{
  return same_number(result->min, reference->min) && same_number(result->max, reference->max) &&
         result->min_at == reference->min_at && result->max_at == reference->max_at;
}

#define ELEMENTS .terms = "term/terms", .term = "ELEMENT", .term_real = "ELEMENT"
#define ABSOLUTES .terms = "term/terms", .term = "abs", .term_real = "fabs"
#define VALUES .fold = "FOLD_VALUES", .fold_wide = "FOLD_VALUES", .fold_real = "FOLD_VALUES", .sum = TRUE
#define SQUARES                                                                                                        \
  .fold = "FOLD_SQUARES", .fold_wide = "FOLD_SQUARES_WIDE", .fold_real = "FOLD_SQUARES", .squares = TRUE,              \
  .packed = "fold/squares-packed", .packed_bytes = 2
#define MOMENTS                                                                                                        \
  .fold = "FOLD_MOMENTS", .fold_wide = "FOLD_MOMENTS_WIDE", .fold_real = "FOLD_MOMENTS_ABOUT_CENTRE", .sum = TRUE,     \
  .squares = TRUE, .about_centre = TRUE, .packed = "fold/squares-packed", .packed_bytes = 2

static const MsReduceOperator rows[MS_REDUCE_N_OPS] = {
  [MS_REDUCE_SUM] = {"sum", NULL, N_("sum of the elements"), ALL_TYPES, ELEMENTS, VALUES, .serial = add_elements,
                     .serial_real = add_real_elements, .exact = exact_sum, .number = sum_of, .text = total_text,
                     .agrees = number_agrees},
  [MS_REDUCE_MIN] = {"min", NULL, N_("least element"), ALL_TYPES, .selects = "fold/extreme", .low = TRUE,
                     .opposite = MS_REDUCE_MAX, .serial = select_extremes, .serial_real = select_real_extremes,
                     .number = minimum_of, .text = number_text, .agrees = is_equal},
  [MS_REDUCE_MAX] = {"max", NULL, N_("greatest element"), ALL_TYPES, .selects = "fold/extreme", .high = TRUE,
                     .opposite = MS_REDUCE_MIN, .serial = select_extremes, .serial_real = select_real_extremes,
                     .number = maximum_of, .text = number_text, .agrees = is_equal},
  [MS_REDUCE_MINMAX] = {"minMax", NULL, N_("least and greatest element in one pass"), ALL_TYPES,
                        .selects = "fold/minmax", .low = TRUE, .high = TRUE, .packed = "fold/minmax-bytes",
                        .packed_bytes = 1, .serial = select_extremes, .serial_real = select_real_extremes,
                        .number = minimum_of, .text = extremes_text, .agrees = extremes_agree},
  [MS_REDUCE_MINMAX_POSITIONS] = {"minMax-positions", NULL, N_("the same, and the index of the first of each"),
                                  ALL_TYPES, .selects = "fold/minmax-positions", .low = TRUE, .high = TRUE,
                                  .positions = TRUE, .serial = select_extremes, .serial_real = select_real_extremes,
                                  .number = minimum_of, .text = positions_text, .agrees = extremes_agree},
  [MS_REDUCE_COUNT_NONZERO] = {"count-nonzero", NULL, N_("number of elements that are not zero"), ALL_TYPES,
                               .terms = "term/nonzero", VALUES, .whole = TRUE, .packed = "fold/count-bytes",
                               .packed_bytes = 1, .serial = add_nonzeros, .serial_real = add_real_nonzeros,
                               .exact = exact_sum, .number = sum_of, .text = total_text, .agrees = number_agrees},
  [MS_REDUCE_SUM_ABS] = {"sum-abs", "norm1", N_("sum of absolute values, the norm L1"), ALL_TYPES, ABSOLUTES, VALUES,
                         .serial = add_absolutes, .serial_real = add_real_absolutes, .exact = exact_sum,
                         .number = sum_of, .text = total_text, .agrees = number_agrees},
  [MS_REDUCE_SUM_SQUARES] = {"sum-squares", NULL, N_("sum of squares"), ALL_TYPES, ELEMENTS, SQUARES,
                             .serial = add_squares, .serial_real = add_real_squares, .exact = exact_squares,
                             .number = squares_of, .text = total_text, .agrees = number_agrees},
  [MS_REDUCE_NORM2] = {"norm2", NULL, N_("square root of the sum of squares, the norm L2"), ALL_TYPES, ELEMENTS,
                       SQUARES, .serial = add_squares, .serial_real = add_real_squares, .exact = exact_squares,
                       .number = norm_of, .text = number_text, .agrees = number_agrees},
  [MS_REDUCE_MEAN] = {"mean", NULL, N_("arithmetic mean"), ALL_TYPES, ELEMENTS, VALUES, .serial = add_elements,
                      .serial_real = add_real_elements, .exact = exact_sum, .number = mean_of, .text = number_text,
                      .agrees = number_agrees},
  [MS_REDUCE_STDDEV] = {"stddev", NULL, N_("standard deviation of the population"), ALL_TYPES, ELEMENTS, MOMENTS,
                        .serial = add_moments, .serial_real = add_real_moments, .exact = exact_squares,
                        .number = deviation_of, .text = number_text, .agrees = deviation_agrees},
};

/** ms_reduce_operator: (transfer none): the row of an operator. */
const MsReduceOperator *
ms_reduce_operator(MsReduceOp op)
{
  g_assert(op < MS_REDUCE_N_OPS);
  return &rows[op];
}

gboolean
ms_reduce_operator_is_extreme(const MsReduceOperator *self)
{
  return self->low || self->high;
}

/** ms_reduce_operator_total_is_real: whether totals of elements of @type are floating-point numbers. */
gboolean
ms_reduce_operator_total_is_real(const MsReduceOperator *self, MsElementType type)
{
  return !ms_reduce_operator_is_extreme(self) && !self->whole && ms_element_type_is_real(type);
}

static gboolean
is_named(const MsReduceOperator *self, const char *text)
{
  return g_ascii_strcasecmp(self->name, text) == 0 || (self->alias && g_ascii_strcasecmp(self->alias, text) == 0);
}

/** ms_reduce_op_parse: reads the argument of --reduce; %FALSE with #MS_ERROR_USAGE and the accepted names. */
gboolean
ms_reduce_op_parse(const char *text, MsReduceOp *op, GError **error)
{
  g_autoptr(GString) names = g_string_new(NULL);

  for (guint i = 0; i < MS_REDUCE_N_OPS; i++) {
    if (is_named(&rows[i], text)) {
      *op = (MsReduceOp)i;
      return TRUE;
    }
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", rows[i].name);
  }
  ms_set_error(error, MS_ERROR_USAGE, "--reduce cannot be “%s”; it takes one of: %s.", text, names->str);
  return FALSE;
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
