/* SPDX-License-Identifier: MIT */
/*
 * Operations, element types and results of the reduction family, with the rules that every variant and the serial code
 * obey.
 */
#pragma once

#include <glib.h>

#include "core/error.h"

G_BEGIN_DECLS

/**
 * MsReduceOp: what is computed over an array. MEAN and STDDEV come from exact sums (population deviation, divided by
 * n).
 *
 * Rules that hold for every variant and device:
 * - Integer sums are exact, as are the sums of squares of integers (128 bits at the end, so they never overflow).
 * - Deviations of floats are taken about an element of the array, so that they keep their digits beside a large mean.
 * - Float sums are accumulated in double, or compensated in float pairs on devices without double.
 * - Minimum and maximum of floats ignore NaN, as IEEE 754 minNum does; the result is NaN only when every element is
 *   one. So the result does not depend on the order of folding, and one damaged sample does not hide all the others.
 *   The two zeros compare equal, so the sign of a zero result is left open.
 * - A NaN counts as non-zero, both zeros count as zero.
 * - Positions are those of the first element with the extreme value.
 */
typedef enum {
  MS_REDUCE_SUM,
  MS_REDUCE_MIN,
  MS_REDUCE_MAX,
  MS_REDUCE_MINMAX,
  MS_REDUCE_COUNT_NONZERO,
  MS_REDUCE_SUM_SQUARES,
  MS_REDUCE_MEAN,
  MS_REDUCE_STDDEV,
  MS_REDUCE_N_OPS,
} MsReduceOp;

typedef enum {
  MS_ELEMENT_UCHAR,
  MS_ELEMENT_CHAR,
  MS_ELEMENT_USHORT,
  MS_ELEMENT_SHORT,
  MS_ELEMENT_INT,
  MS_ELEMENT_UINT,
  MS_ELEMENT_FLOAT,
  MS_ELEMENT_DOUBLE,
  MS_ELEMENT_N_TYPES,
} MsElementType;

/** MsWide: a whole number of 128 bits: sums of squares of 32-bit integers need it. */
G_GNUC_EXTENSION typedef __int128 MsWide;

#define MS_REDUCE_NO_POSITION G_MAXUINT64

/**
 * MsReduceResult: what a reduction found; only the fields of its operation mean something.
 * @n: elements that took part
 * @sum: exact sum of integers; @sum_real holds the same as double, or the sum of floats
 * @squares: exact sum of squares of integers; @squares_real likewise
 * @centre: what the sums of a real deviation are taken about, until ms_reduce_result_complete() takes it out of them
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
  guint64 nonzero;
  double min;
  double max;
  guint64 min_at;
  guint64 max_at;
  double mean;
  double stddev;
} MsReduceResult;

const char *ms_reduce_op_name(MsReduceOp op);
const char *const *ms_reduce_request_names(void);
gboolean ms_reduce_op_parse(const char *text, MsReduceOp *op, gboolean *positions, GError **error);

const char *ms_element_type_name(MsElementType type);
const char *const *ms_element_type_names(void);
gboolean ms_element_type_parse(const char *text, MsElementType *type, GError **error);
gsize ms_element_type_size(MsElementType type);
gboolean ms_element_type_is_real(MsElementType type);
gboolean ms_element_type_is_signed(MsElementType type);

char *ms_wide_to_string(MsWide value);
void ms_reduce_result_complete(MsReduceResult *self);
double ms_reduce_result_number(const MsReduceResult *self);
char *ms_reduce_result_to_string(const MsReduceResult *self);
gboolean ms_reduce_result_agrees(const MsReduceResult *self, const MsReduceResult *reference, double tolerance);

G_END_DECLS
