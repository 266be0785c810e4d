/* SPDX-License-Identifier: MIT */
/*
 * The table of reduction operators: one row holds an operator's name, its kernel parts, its serial code and the shape
 * of its result; plans, launches, reports, the command line and the public interface read it. Also the serial
 * reduction that the row defines, and results as numbers and text.
 */
#pragma once

#include "core/reduce/element-type.h"

/**
 * MsReduceOp: what is computed over an array.
 *
 * Rules that hold for every variant and device:
 * - Integer sums are exact, as are the sums of absolute values and of squares (128 bits at the end, so they never
 *   overflow). Mean, deviation (of the population, divided by n) and norms are computed from exact sums.
 * - Deviations of floats are taken about an element of the array, so that they keep their digits beside a large mean.
 * - Float sums are accumulated in double, or compensated in float pairs on devices without double.
 * - Minimum and maximum of floats ignore NaN, as IEEE 754 minNum does; the result is NaN only when every element is
 *   one. So the result does not depend on the order of folding, and one damaged sample does not hide all the others.
 *   The two zeros compare equal, so the sign of a zero result is unspecified.
 * - A NaN counts as non-zero, both zeros count as zero.
 * - Positions are those of the first element with the extreme value.
 */
typedef enum {
  MS_REDUCE_SUM,
  MS_REDUCE_MIN,
  MS_REDUCE_MAX,
  MS_REDUCE_MINMAX,
  MS_REDUCE_MINMAX_POSITIONS,
  MS_REDUCE_COUNT_NONZERO,
  MS_REDUCE_SUM_ABS,
  MS_REDUCE_SUM_SQUARES,
  MS_REDUCE_NORM2,
  MS_REDUCE_MEAN,
  MS_REDUCE_STDDEV,
  MS_REDUCE_N_OPS,
} MsReduceOp;

/** MsReduceSpec: the operation and its element type. */
typedef struct {
  MsReduceOp op;
  MsElementType type;
} MsReduceSpec;

#define MS_REDUCE_SPEC(op_, type_) ((MsReduceSpec){.op = (op_), .type = (type_)})

/**
 * MsReduceShape: what an operator's result consists of.
 * @MS_REDUCE_TOTAL: one number, the sum that the kernels make: an integer where that is one
 * @MS_REDUCE_NUMBER: one number, an integer for elements that are integers
 * @MS_REDUCE_REAL: one floating-point number
 * @MS_REDUCE_PAIR: two numbers, the lower one first, each as MS_REDUCE_NUMBER
 * @MS_REDUCE_PAIR_AT: the same, and the position of each
 */
typedef enum {
  MS_REDUCE_TOTAL,
  MS_REDUCE_NUMBER,
  MS_REDUCE_REAL,
  MS_REDUCE_PAIR,
  MS_REDUCE_PAIR_AT,
} MsReduceShape;

#define MS_REDUCE_MAX_NUMBERS 4

/** MsWide: an integer of 128 bits: sums of squares of 32-bit integers need it. */
G_GNUC_EXTENSION typedef __int128 MsWide;

#define MS_REDUCE_NO_POSITION G_MAXUINT64

/**
 * MsReduceResult: the result of a reduction; only the fields of its operator are meaningful.
 * @n: elements that took part
 * @sum: exact sum of the operator's term: of the elements, their absolute values, or ones for those that are not zero
 * @sum_real: the same as double, or the sum of floats
 * @squares: exact sum of squares of integers; @squares_real likewise
 * @centre: the number that the sums of a real deviation are taken about; ms_reduce_result_complete() removes it
 * @min: the least element, as double (exact: every element type fits)
 * @min_at: index of the first least element, or MS_REDUCE_NO_POSITION when not asked for or every element is NaN
 */
typedef struct {
  MsReduceOp op;
  MsElementType type;
  guint64 n;
  MsWide sum;
  double sum_real;
  MsWide squares;
  double squares_real;
  double centre;
  double min;
  double max;
  guint64 min_at;
  guint64 max_at;
  double mean;
  double stddev;
} MsReduceResult;

/**
 * MsReduceSerial: the state of the serial code.
 * @result: (inout): the result so far
 * @sum_lost: rounding error of the real sum, kept separately; @squares_lost likewise
 */
typedef struct {
  MsReduceResult *result;
  double sum_lost;
  double squares_lost;
} MsReduceSerial;

/**
 * MsReduceOperator: one row of the table. An operator either adds terms (@fold is set) or selects extremes (@low or
 * @high is set).
 * @name: as --reduce takes it, in any case; @alias: (nullable): another name for it
 * @types: bit t is set when the operator takes #MsElementType t
 * @term: (nullable): macro or function that makes the number to add of an integer, %NULL where elements that are not
 *   zero are counted; @term_real: of a real number
 * @fold: macro of that part that adds the term; @fold_wide: for squares of 32-bit integers; @fold_real: for reals
 * @sum: whether the terms' sum is a word of the partial; @squares: whether that of their squares is, after it
 * @whole: whether totals are integers for real elements too
 * @about_centre: whether sums of reals are taken about an element of the array
 * @selects: part that selects extremes; @low, @high: which
 * @positions: whether words for the positions of @low and @high follow
 * @opposite: for a single extreme of reals: the operator that tells NaN from infinity
 * @packed: (nullable): part that folds several elements a word; @packed_bytes: the widest element it takes
 * @serial: folds a block of integers, of which the first has index @first; @serial_real: of real numbers
 * @shape: what the result consists of
 * @number: the result as double; of a pair, the first number
 */
typedef struct {
  const char *name;
  const char *alias;
  const char *help;
  guint types;
  const char *term;
  const char *term_real;
  const char *fold;
  const char *fold_wide;
  const char *fold_real;
  gboolean sum;
  gboolean squares;
  gboolean whole;
  gboolean about_centre;
  const char *selects;
  gboolean low;
  gboolean high;
  gboolean positions;
  MsReduceOp opposite;
  const char *packed;
  gsize packed_bytes;
  void (*serial)(const gint64 *x, guint n, guint64 first, MsReduceSerial *serial);
  void (*serial_real)(const double *x, guint n, guint64 first, MsReduceSerial *serial);
  MsReduceShape shape;
  double (*number)(const MsReduceResult *result);
} MsReduceOperator;

const MsReduceOperator *ms_reduce_operator(MsReduceOp op);
gboolean ms_reduce_operator_is_extreme(const MsReduceOperator *self);
gboolean ms_reduce_operator_total_is_real(const MsReduceOperator *self, MsElementType type);
gboolean ms_reduce_op_parse(const char *text, MsReduceOp *op, GError **error);

gboolean ms_reduce_define(const MsReduceSpec *spec, const void *data, guint64 n, MsReduceResult *result,
                          GError **error);

void ms_reduce_result_begin(const MsReduceSpec *spec, guint64 n, MsReduceResult *result);
void ms_reduce_result_complete(MsReduceResult *self);
double ms_reduce_result_number(const MsReduceResult *self);
guint ms_reduce_result_numbers(const MsReduceResult *self, double numbers[MS_REDUCE_MAX_NUMBERS]);
gboolean ms_reduce_result_is_integer(const MsReduceResult *self);
char *ms_reduce_result_to_string(const MsReduceResult *self);
gboolean ms_reduce_result_agrees(const MsReduceResult *self, const MsReduceResult *reference, double tolerance);

char *ms_wide_to_string(MsWide value);
