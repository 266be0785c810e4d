/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-plan.h"

#include <math.h>
#include <string.h>

/* The bits of a floating-point number, as kernels return them. */
typedef union {
  guint64 bits;
  double value;
} Wide;

typedef union {
  guint32 bits;
  float value;
} Narrow;

#define DOUBLE_OF(word) ((Wide){.bits = (word)}.value)
#define FLOAT_OF(word) ((Narrow){.bits = (guint32)(word)}.value)
#define BITS_OF(real) ((Wide){.value = (real)}.bits)

/* Decodes the ordered keys of the atomic extremes; see finish/atomic-extreme32.cl. */
static double
extreme_of_key(MsElementType type, guint32 key)
{
  if (type == MS_ELEMENT_FLOAT)
    return FLOAT_OF(key & 0x80000000u ? key ^ 0x80000000u : ~key);
  return ms_element_type_is_signed(type) ? (double)(gint32)(key ^ 0x80000000u) : (double)key;
}

static double
extreme_of_word(const MsReducePlan *plan, guint64 word)
{
  if (plan->atomic_keys)
    return extreme_of_key(plan->spec.type, (guint32)word);
  if (plan->spec.type == MS_ELEMENT_FLOAT)
    return FLOAT_OF(word);
  return plan->spec.type == MS_ELEMENT_DOUBLE ? DOUBLE_OF(word) : (double)(gint64)word;
}

static void
fold_low(MsReduceResult *result, double value, guint64 at)
{
  if (value < result->min || (value == result->min && at < result->min_at)) {
    result->min = value;
    result->min_at = at;
  }
}

static void
fold_high(MsReduceResult *result, double value, guint64 at)
{
  if (value > result->max || (value == result->max && at < result->max_at)) {
    result->max = value;
    result->max_at = at;
  }
}

static guint64
position(guint64 word, guint64 first_element)
{
  return word == G_MAXUINT32 ? MS_REDUCE_NO_POSITION : first_element + word;
}

/* The words are the extremes that the operator selects, low before high, then their positions in the same order. */
static void
fold_extremes(const MsReducePlan *plan, const guint64 *words, guint64 first_element, MsReduceResult *result)
{
  const MsReduceOperator *op = plan->op;
  guint high = op->low ? 1 : 0, n = high + (op->high ? 1 : 0);

  if (op->low)
    fold_low(result, extreme_of_word(plan, words[0]),
             op->positions ? position(words[n], first_element) : MS_REDUCE_NO_POSITION);
  if (op->high)
    fold_high(result, extreme_of_word(plan, words[high]),
              op->positions ? position(words[n + high], first_element) : MS_REDUCE_NO_POSITION);
}

/* A compensated sum is the sum plus its error; the error of an infinite sum is NaN and is ignored. */
static double
real_of_words(const MsReducePlan *plan, const guint64 *words)
{
  double sum;

  if (!plan->compensated)
    return DOUBLE_OF(words[0]);
  sum = FLOAT_OF(words[0]);
  return isfinite(sum) ? sum + FLOAT_OF(words[1]) : sum;
}

static void
fold_sums(const MsReducePlan *plan, const guint64 *words, MsReduceResult *result)
{
  const guint64 *squares = words + (plan->op->sum ? plan->slots : 0);

  if (plan->real) {
    result->sum_real += plan->op->sum ? real_of_words(plan, words) : 0;
    result->squares_real += plan->op->squares ? real_of_words(plan, squares) : 0;
    return;
  }
  if (plan->op->sum)
    result->sum += ms_element_type_is_signed(plan->spec.type) ? (MsWide)(gint64)words[0] : (MsWide)words[0];
  if (plan->op->squares)
    result->squares += (MsWide)squares[0] + (plan->wide_squares ? (MsWide)squares[1] << 32 : 0);
}

/** ms_reduce_result_wrap: reduces a sum to what accumulators of 32 bits hold; nothing if those of @plan are exact. */
void
ms_reduce_result_wrap(const MsReducePlan *plan, MsReduceResult *result)
{
  const guint32 low = (guint32)result->sum;

  if (!plan->wraps)
    return;
  result->sum = ms_element_type_is_signed(plan->spec.type) && !plan->op->whole ? (MsWide)(gint32)low : (MsWide)low;
  result->sum_real = (double)result->sum;
}

/**
 * ms_reduce_result_fold:
 * @words: one partial of @plan's kernels, plan->words long
 * @first_element: index of the element that the partial's position 0 stands for
 */
void
ms_reduce_result_fold(const MsReducePlan *plan, const guint64 *words, guint64 first_element, MsReduceResult *result)
{
  if (plan->selects)
    fold_extremes(plan, words, first_element, result);
  else
    fold_sums(plan, words, result);
}

/** ms_reduce_atomic_start: the words that an atomic finish starts from: zero sums, extremes beyond every element. */
void
ms_reduce_atomic_start(const MsReducePlan *plan, guint64 *words)
{
  const MsReduceOperator *op = plan->op;

  memset(words, 0, MS_REDUCE_MAX_WORDS * sizeof *words);
  if (op->low)
    words[0] = plan->atomic_keys ? G_MAXUINT32 : BITS_OF(INFINITY);
  if (op->high)
    words[op->low ? 1 : 0] = plan->atomic_keys ? 0 : BITS_OF(-INFINITY);
}
