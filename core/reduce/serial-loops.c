/* SPDX-License-Identifier: MIT */
/*
 * Each operator as the plain loop over typed elements that a person would write, the baseline of speed-ups. This file
 * is compiled twice, with and without vector instructions; MS_SERIAL_LOOPS names the function.
 */
#include <math.h>

#include "core/reduce/serial.h"

/* Sums of so many elements of 32 bits fit in 64. */
#define BLOCK (G_GUINT64_CONSTANT(1) << 30)

/* Squares of 16 bits and of narrower elements fit in 64, of wider ones in 128. */
#define FOLD(function, T, Total, Square, exact, magnitude, lowest, highest)                                            \
  static void function(const T *x, guint64 n, MsReduceOp op, guint64 first, MsReduceResult *result)                    \
  {                                                                                                                    \
    T low = highest, high = lowest;                                                                                    \
    guint64 low_at = MS_REDUCE_NO_POSITION, high_at = MS_REDUCE_NO_POSITION, count = 0;                                \
    Total sum = 0;                                                                                                     \
    Square squares = 0;                                                                                                \
    switch (op) {                                                                                                      \
    case MS_REDUCE_SUM:                                                                                                \
    case MS_REDUCE_MEAN:                                                                                               \
      for (guint64 i = 0; i < n; i++)                                                                                  \
        sum += (Total)x[i];                                                                                            \
      break;                                                                                                           \
    case MS_REDUCE_SUM_ABS:                                                                                            \
      for (guint64 i = 0; i < n; i++)                                                                                  \
        sum += (Total)magnitude(x[i]);                                                                                 \
      break;                                                                                                           \
    case MS_REDUCE_COUNT_NONZERO:                                                                                      \
      for (guint64 i = 0; i < n; i++)                                                                                  \
        count += x[i] != 0;                                                                                            \
      break;                                                                                                           \
    case MS_REDUCE_SUM_SQUARES:                                                                                        \
    case MS_REDUCE_NORM2:                                                                                              \
      for (guint64 i = 0; i < n; i++)                                                                                  \
        squares += (Square)x[i] * (Square)x[i];                                                                        \
      break;                                                                                                           \
    case MS_REDUCE_STDDEV:                                                                                             \
      for (guint64 i = 0; i < n; i++) {                                                                                \
        sum += (Total)x[i];                                                                                            \
        squares += (Square)x[i] * (Square)x[i];                                                                        \
      }                                                                                                                \
      break;                                                                                                           \
    case MS_REDUCE_MIN:                                                                                                \
      for (guint64 i = 0; i < n; i++)                                                                                  \
        low = x[i] < low ? x[i] : low;                                                                                 \
      break;                                                                                                           \
    case MS_REDUCE_MAX:                                                                                                \
      for (guint64 i = 0; i < n; i++)                                                                                  \
        high = x[i] > high ? x[i] : high;                                                                              \
      break;                                                                                                           \
    case MS_REDUCE_MINMAX:                                                                                             \
      for (guint64 i = 0; i < n; i++) {                                                                                \
        low = x[i] < low ? x[i] : low;                                                                                 \
        high = x[i] > high ? x[i] : high;                                                                              \
      }                                                                                                                \
      break;                                                                                                           \
    case MS_REDUCE_MINMAX_POSITIONS:                                                                                   \
      for (guint64 i = 0; i < n; i++) {                                                                                \
        if (x[i] < low || (low_at == MS_REDUCE_NO_POSITION && x[i] == low))                                            \
          low = x[i], low_at = first + i;                                                                              \
        if (x[i] > high || (high_at == MS_REDUCE_NO_POSITION && x[i] == high))                                         \
          high = x[i], high_at = first + i;                                                                            \
      }                                                                                                                \
      break;                                                                                                           \
    case MS_REDUCE_N_OPS:                                                                                              \
      g_assert_not_reached();                                                                                          \
    }                                                                                                                  \
    result->min = low, result->max = high, result->min_at = low_at, result->max_at = high_at;                          \
    result->sum = exact(sum) + count, result->sum_real = (double)sum;                                                  \
    result->squares = exact(squares), result->squares_real = (double)squares;                                          \
  }

#define ITSELF(x) (x)
#define WHOLE(x) ((MsWide)(x))
#define NOTHING(x) ((MsWide)0)
#define WIDE_ABS(x) ABS((gint64)(x))

FOLD(fold_uchar, guint8, guint64, guint64, WHOLE, ITSELF, 0, G_MAXUINT8)
FOLD(fold_char, gint8, gint64, gint64, WHOLE, WIDE_ABS, G_MININT8, G_MAXINT8)
FOLD(fold_ushort, guint16, guint64, guint64, WHOLE, ITSELF, 0, G_MAXUINT16)
FOLD(fold_short, gint16, gint64, gint64, WHOLE, WIDE_ABS, G_MININT16, G_MAXINT16)
FOLD(fold_int, gint32, gint64, MsWide, WHOLE, WIDE_ABS, G_MININT32, G_MAXINT32)
FOLD(fold_uint, guint32, guint64, MsWide, WHOLE, ITSELF, 0, G_MAXUINT32)
FOLD(fold_float, float, double, double, NOTHING, fabs, -INFINITY, INFINITY)
FOLD(fold_double, double, double, double, NOTHING, fabs, -INFINITY, INFINITY)

/* One block of at most 2^30 elements, the first of which has index @first. */
static void
fold_block(MsElementType type, const guint8 *data, guint64 n, MsReduceOp op, guint64 first, MsReduceResult *result)
{
  switch (type) {
  case MS_ELEMENT_UCHAR:
    fold_uchar(data, n, op, first, result);
    return;
  case MS_ELEMENT_CHAR:
    fold_char((const gint8 *)data, n, op, first, result);
    return;
  case MS_ELEMENT_USHORT:
    fold_ushort((const guint16 *)data, n, op, first, result);
    return;
  case MS_ELEMENT_SHORT:
    fold_short((const gint16 *)data, n, op, first, result);
    return;
  case MS_ELEMENT_INT:
    fold_int((const gint32 *)data, n, op, first, result);
    return;
  case MS_ELEMENT_UINT:
    fold_uint((const guint32 *)data, n, op, first, result);
    return;
  case MS_ELEMENT_FLOAT:
    fold_float((const float *)data, n, op, first, result);
    return;
  case MS_ELEMENT_DOUBLE:
    fold_double((const double *)data, n, op, first, result);
    return;
  case MS_ELEMENT_N_TYPES:
    g_assert_not_reached();
  }
}

void
MS_SERIAL_LOOPS(const MsReduceSpec *spec, const void *data, guint64 from, guint64 n, MsReduceResult *result)
{
  const gsize size = ms_element_type_size(spec->type);

  ms_reduce_result_begin(spec, n, result);
  for (guint64 done = 0; done < n; done += BLOCK) {
    MsReduceResult more;
    const guint8 *block = (const guint8 *)data + (from + done) * size;
    fold_block(spec->type, block, MIN(BLOCK, n - done), spec->op, from + done, &more);
    ms_serial_result_add(result, &more);
  }
}
