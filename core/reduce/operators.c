/* SPDX-License-Identifier: MIT */
#include "core/reduce/operators.h"

#include <glib/gi18n-lib.h>
#include <float.h>
#include <math.h>

#define ALL_TYPES ((1u << MS_ELEMENT_N_TYPES) - 1)
#define BLOCK 1024

/* Serial code: the term of each operator over a block of integers, exact in 128 bits, or of reals, compensated. */

/* Neumaier's compensated addition. */
static void
add_real(double *sum, double *lost, double x)
{
  double next = *sum + x;

  *lost += fabs(*sum) >= fabs(x) ? (*sum - next) + x : (x - next) + *sum;
  *sum = next;
}

#define SERIAL(name, of_integer, of_real)                                                                              \
  static void name##_of_integers(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)                      \
  {                                                                                                                    \
    MsReduceResult *result = serial->result;                                                                           \
    for (guint i = 0; i < n; i++)                                                                                      \
      of_integer;                                                                                                      \
  }                                                                                                                    \
  static void name##_of_reals(const double *x, guint n, guint64 first, MsReduceSerial *serial)                         \
  {                                                                                                                    \
    MsReduceResult *result = serial->result;                                                                           \
    for (guint i = 0; i < n; i++)                                                                                      \
      of_real;                                                                                                         \
  }
#define ADD_REAL(x) add_real(&result->sum_real, &serial->sum_lost, x)
#define ADD_REAL_SQUARE(x) add_real(&result->squares_real, &serial->squares_lost, (x) * (x))

SERIAL(sum, result->sum += x[i], ADD_REAL(x[i]))
SERIAL(absolutes, result->sum += ABS(x[i]), ADD_REAL(fabs(x[i])))
SERIAL(nonzeros, result->sum += x[i] != 0, result->sum += x[i] != 0)
SERIAL(squares, result->squares += (MsWide)x[i] * x[i], ADD_REAL_SQUARE(x[i]))

static void
moments_of_integers(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  sum_of_integers(x, n, first, serial);
  squares_of_integers(x, n, first, serial);
}

static void
moments_of_reals(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  MsReduceResult *result = serial->result;

  for (guint i = 0; i < n; i++) {
    double distance = x[i] - result->centre;
    ADD_REAL(distance);
    ADD_REAL_SQUARE(distance);
  }
}

static void
extremes_of_integers(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial)
{
  MsReduceResult *result = serial->result;

  for (guint i = 0; i < n; i++) {
    if ((double)x[i] < result->min)
      result->min = (double)x[i], result->min_at = first + i;
    if ((double)x[i] > result->max)
      result->max = (double)x[i], result->max_at = first + i;
  }
}

/* NaN compares false, so it is selected only where every element is NaN; see ms_reduce_define(). */
static void
extremes_of_reals(const double *x, guint n, guint64 first, MsReduceSerial *serial)
{
  MsReduceResult *result = serial->result;

  for (guint i = 0; i < n; i++) {
    if (x[i] < result->min || (isnan(result->min) && !isnan(x[i])))
      result->min = x[i], result->min_at = first + i;
    if (x[i] > result->max || (isnan(result->max) && !isnan(x[i])))
      result->max = x[i], result->max_at = first + i;
  }
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

#define SERIAL_OF(name) .serial = name##_of_integers, .serial_real = name##_of_reals
#define ELEMENTS .term = "ELEMENT", .term_real = "ELEMENT"
#define ABSOLUTES .term = "abs", .term_real = "fabs"
#define VALUES .fold = "FOLD_VALUES", .fold_wide = "FOLD_VALUES", .fold_real = "FOLD_VALUES", .sum = TRUE
#define SQUARES                                                                                                        \
  .fold = "FOLD_SQUARES", .fold_wide = "FOLD_SQUARES_WIDE", .fold_real = "FOLD_SQUARES", .squares = TRUE,              \
  .packed = "reduce/fold/squares-packed.cl", .packed_bytes = 2
#define MOMENTS                                                                                                        \
  .fold = "FOLD_MOMENTS", .fold_wide = "FOLD_MOMENTS_WIDE", .fold_real = "FOLD_MOMENTS_ABOUT_CENTRE", .sum = TRUE,     \
  .squares = TRUE, .about_centre = TRUE, .packed = "reduce/fold/squares-packed.cl", .packed_bytes = 2

static const MsReduceOperator rows[MS_REDUCE_N_OPS] = {
  [MS_REDUCE_SUM] = {"sum", NULL, N_("sum of the elements"), ALL_TYPES, ELEMENTS, VALUES, SERIAL_OF(sum),
                     .number = sum_of, .shape = MS_REDUCE_TOTAL},
  [MS_REDUCE_MIN] = {"min", NULL, N_("least element"), ALL_TYPES, .selects = "reduce/fold/extreme.cl", .low = TRUE,
                     .opposite = MS_REDUCE_MAX, SERIAL_OF(extremes), .number = minimum_of, .shape = MS_REDUCE_NUMBER},
  [MS_REDUCE_MAX] = {"max", NULL, N_("greatest element"), ALL_TYPES, .selects = "reduce/fold/extreme.cl", .high = TRUE,
                     .opposite = MS_REDUCE_MIN, SERIAL_OF(extremes), .number = maximum_of, .shape = MS_REDUCE_NUMBER},
  [MS_REDUCE_MINMAX] = {"minMax", NULL, N_("least and greatest element in one pass"), ALL_TYPES,
                        .selects = "reduce/fold/minmax.cl", .low = TRUE, .high = TRUE,
                        .packed = "reduce/fold/minmax-bytes.cl", .packed_bytes = 1, SERIAL_OF(extremes),
                        .number = minimum_of, .shape = MS_REDUCE_PAIR},
  [MS_REDUCE_MINMAX_POSITIONS] = {"minMax-positions", NULL, N_("the same, and the index of the first of each"),
                                  ALL_TYPES, .selects = "reduce/fold/minmax-positions.cl", .low = TRUE, .high = TRUE,
                                  .positions = TRUE, SERIAL_OF(extremes), .number = minimum_of,
                                  .shape = MS_REDUCE_PAIR_AT},
  [MS_REDUCE_COUNT_NONZERO] = {"count-nonzero", NULL, N_("number of elements that are not zero"), ALL_TYPES, VALUES,
                               .whole = TRUE, .packed = "reduce/fold/count-bytes.cl", .packed_bytes = 1,
                               SERIAL_OF(nonzeros), .number = sum_of, .shape = MS_REDUCE_TOTAL},
  [MS_REDUCE_SUM_ABS] = {"sum-abs", "norm1", N_("sum of absolute values, the norm L1"), ALL_TYPES, ABSOLUTES, VALUES,
                         SERIAL_OF(absolutes), .number = sum_of, .shape = MS_REDUCE_TOTAL},
  [MS_REDUCE_SUM_SQUARES] = {"sum-squares", NULL, N_("sum of squares"), ALL_TYPES, ELEMENTS, SQUARES,
                             SERIAL_OF(squares), .number = squares_of, .shape = MS_REDUCE_TOTAL},
  [MS_REDUCE_NORM2] = {"norm2", NULL, N_("square root of the sum of squares, the norm L2"), ALL_TYPES, ELEMENTS,
                       SQUARES, SERIAL_OF(squares), .number = norm_of, .shape = MS_REDUCE_REAL},
  [MS_REDUCE_MEAN] = {"mean", NULL, N_("arithmetic mean"), ALL_TYPES, ELEMENTS, VALUES, SERIAL_OF(sum),
                      .number = mean_of, .shape = MS_REDUCE_REAL},
  [MS_REDUCE_STDDEV] = {"stddev", NULL, N_("standard deviation of the population"), ALL_TYPES, ELEMENTS, MOMENTS,
                        SERIAL_OF(moments), .number = deviation_of, .shape = MS_REDUCE_REAL},
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
  ms_set_error(error, MS_ERROR_USAGE, "--reduce cannot be '%s'; it takes one of: %s.", text, names->str);
  return FALSE;
}

static double
total(double sum, double lost)
{
  return isfinite(sum) ? sum + lost : sum; /* the error of an infinite sum is NaN */
}

/* Folds the elements block by block; @serial keeps the rounding errors of real sums until the end. */
static void
fold(const MsReduceSpec *spec, const guint8 *data, guint64 n_elements, MsReduceSerial *serial)
{
  const MsReduceOperator *op = ms_reduce_operator(spec->op);
  const gsize size = ms_element_type_size(spec->type);
  union {
    gint64 integers[BLOCK];
    double reals[BLOCK];
  } block;

  for (guint64 done = 0; done < n_elements; done += BLOCK) {
    const guint n = (guint)MIN(n_elements - done, BLOCK);
    const guint8 *from = data + done * size;
    if (ms_element_type_is_real(spec->type)) {
      ms_elements_to_doubles(spec->type, from, n, block.reals);
      op->serial_real(block.reals, n, done, serial);
    } else {
      ms_elements_to_integers(spec->type, from, n, block.integers);
      op->serial(block.integers, n, done, serial);
    }
  }
  serial->result->sum_real = total(serial->result->sum_real, serial->sum_lost);
  serial->result->squares_real = total(serial->result->squares_real, serial->squares_lost);
}

/** ms_reduce_result_begin: the result of no elements, to which those of @n are added. */
void
ms_reduce_result_begin(const MsReduceSpec *spec, guint64 n, MsReduceResult *result)
{
  *result = (MsReduceResult){.op = spec->op,
                             .type = spec->type,
                             .n = n,
                             .min = INFINITY,
                             .max = -INFINITY,
                             .min_at = MS_REDUCE_NO_POSITION,
                             .max_at = MS_REDUCE_NO_POSITION};
}

/* The mean, the first of the two passes of a deviation. */
static double
first_mean(const MsReduceSpec *spec, const guint8 *data, guint64 n)
{
  MsReduceSpec sum = {MS_REDUCE_SUM, spec->type};
  MsReduceResult result;
  MsReduceSerial serial = {.result = &result};

  ms_reduce_result_begin(&sum, n, &result);
  fold(&sum, data, n, &serial);
  return result.sum_real / (double)n;
}

/**
 * ms_reduce_define:
 *
 * Computes the result of an operation as its definition says, with which every kernel and loop is compared.
 *
 * Returns: %FALSE with #MS_ERROR_USAGE for an empty array
 */
gboolean
ms_reduce_define(const MsReduceSpec *spec, const void *data, guint64 n, MsReduceResult *result, GError **error)
{
  const MsReduceOperator *op = ms_reduce_operator(spec->op);
  MsReduceSerial serial = {.result = result};

  if (n == 0) {
    ms_set_error(error, MS_ERROR_USAGE, "The array is empty; a reduction needs at least one element.");
    return FALSE;
  }
  ms_reduce_result_begin(spec, n, result);
  if (ms_element_type_is_real(spec->type))
    result->min = result->max = NAN;
  if (op->about_centre && ms_element_type_is_real(spec->type)) {
    double mean = first_mean(spec, data, n);
    result->centre = isfinite(mean) ? mean : 0;
  }
  fold(spec, data, n, &serial);
  if (!op->positions)
    result->min_at = result->max_at = MS_REDUCE_NO_POSITION;
  ms_reduce_result_complete(result);
  return TRUE;
}

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

/** ms_reduce_result_number: the result as double; of a pair, the first number. */
double
ms_reduce_result_number(const MsReduceResult *self)
{
  return ms_reduce_operator(self->op)->number(self);
}

/** ms_reduce_result_numbers: fills in the numbers of the result, then the positions, and returns how many there are. */
guint
ms_reduce_result_numbers(const MsReduceResult *self, double numbers[MS_REDUCE_MAX_NUMBERS])
{
  switch (ms_reduce_operator(self->op)->shape) {
  case MS_REDUCE_TOTAL:
  case MS_REDUCE_NUMBER:
  case MS_REDUCE_REAL:
    numbers[0] = ms_reduce_result_number(self);
    return 1;
  case MS_REDUCE_PAIR:
  case MS_REDUCE_PAIR_AT:
    numbers[0] = self->min;
    numbers[1] = self->max;
    numbers[2] = (double)self->min_at;
    numbers[3] = (double)self->max_at;
    return ms_reduce_operator(self->op)->shape == MS_REDUCE_PAIR ? 2 : 4;
  }
  g_assert_not_reached();
}

/* The exact total of integers that the result is made of. */
static MsWide
exact_total(const MsReduceResult *self)
{
  return ms_reduce_operator(self->op)->squares ? self->squares : self->sum;
}

/** ms_reduce_result_is_integer: whether its numbers are integers, and not such that happen to have no fraction. */
gboolean
ms_reduce_result_is_integer(const MsReduceResult *self)
{
  const MsReduceOperator *op = ms_reduce_operator(self->op);

  if (op->shape == MS_REDUCE_TOTAL)
    return !ms_reduce_operator_total_is_real(op, self->type);
  return op->shape != MS_REDUCE_REAL && !ms_element_type_is_real(self->type);
}

/** ms_reduce_result_to_string: (transfer full): all digits, in the C locale; of a pair, "MIN MAX". */
char *
ms_reduce_result_to_string(const MsReduceResult *self)
{
  char first[G_ASCII_DTOSTR_BUF_SIZE], second[G_ASCII_DTOSTR_BUF_SIZE];
  double numbers[MS_REDUCE_MAX_NUMBERS];
  guint n = ms_reduce_result_numbers(self, numbers);

  if (ms_reduce_operator(self->op)->shape == MS_REDUCE_TOTAL && ms_reduce_result_is_integer(self))
    return ms_wide_to_string(exact_total(self));
  g_ascii_dtostr(first, sizeof first, numbers[0]);
  if (n == 1)
    return g_strdup(first);
  g_ascii_dtostr(second, sizeof second, numbers[1]);
  if (n == 2 || self->min_at == MS_REDUCE_NO_POSITION)
    return g_strdup_printf("%s %s", first, second);
  return g_strdup_printf("%s at %" G_GUINT64_FORMAT ", %s at %" G_GUINT64_FORMAT, first, self->min_at, second,
                         self->max_at);
}

/**
 * ms_reduce_result_agrees:
 * @tolerance: relative, for what is computed from sums of floating-point elements; everything else must be equal
 */
gboolean
ms_reduce_result_agrees(const MsReduceResult *self, const MsReduceResult *reference, double tolerance)
{
  const MsReduceOperator *op = ms_reduce_operator(self->op);
  double found[MS_REDUCE_MAX_NUMBERS], wanted[MS_REDUCE_MAX_NUMBERS], rounding = 0;

  if (!ms_reduce_operator_total_is_real(op, self->type)) {
    tolerance = 0;
    if (exact_total(self) != exact_total(reference))
      return FALSE;
  }
  if (op->about_centre && tolerance > 0) /* a deviation below the last digit of the mean is rounding error */
    rounding = 4 * DBL_EPSILON * fabs(reference->mean);
  ms_reduce_result_numbers(self, found);
  for (guint i = 0, n = ms_reduce_result_numbers(reference, wanted); i < n; i++) {
    double a = found[i], b = wanted[i];
    if (a != b && !(isnan(a) && isnan(b)) && !(fabs(a - b) <= tolerance * fabs(b) + rounding))
      return FALSE;
  }
  return TRUE;
}
