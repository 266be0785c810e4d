/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-words.h"

#include <math.h>
#include <string.h>

#include "core/reduce/plan-layout.h"

static double
double_of_bits(guint64 bits)
{
  double value;

  memcpy(&value, &bits, sizeof value);
  return value;
}

static float
float_of_bits(guint32 bits)
{
  float value;

  memcpy(&value, &bits, sizeof value);
  return value;
}

static guint64
bits_of_double(double value)
{
  guint64 bits;

  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/** ms_reduce_result_begin: an empty result, ready for ms_reduce_result_fold(). */
void
ms_reduce_result_begin(const MsReducePlan *plan, MsReduceResult *result)
{
  *result = (MsReduceResult){.op = plan->spec.op,
                             .type = plan->spec.type,
                             .min = INFINITY,
                             .max = -INFINITY,
                             .min_at = MS_REDUCE_NO_POSITION,
                             .max_at = MS_REDUCE_NO_POSITION};
}

/* Decodes the ordered keys of the atomic extremes; see finish/atomic-extreme32.cl. */
static double
extreme_of_key(MsElementType type, guint32 key)
{
  if (type == MS_ELEMENT_FLOAT)
    return float_of_bits(key & 0x80000000u ? key ^ 0x80000000u : ~key);
  return ms_element_type_is_signed(type) ? (double)(gint32)(key ^ 0x80000000u) : (double)key;
}

static double
extreme_of_word(const MsReducePlan *plan, guint64 word)
{
  if (plan->atomic_keys)
    return extreme_of_key(plan->spec.type, (guint32)word);
  if (plan->spec.type == MS_ELEMENT_FLOAT)
    return float_of_bits((guint32)word);
  return plan->spec.type == MS_ELEMENT_DOUBLE ? double_of_bits(word) : (double)(gint64)word;
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
  const MsReduceOperator *op = ms_reduce_operator(plan->spec.op);
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
    return double_of_bits(words[0]);
  sum = float_of_bits((guint32)words[0]);
  return isfinite(sum) ? sum + float_of_bits((guint32)words[1]) : sum;
}

static void
fold_real_sums(const MsReducePlan *plan, const guint64 *words, MsReduceResult *result)
{
  const MsReduceOperator *op = ms_reduce_operator(plan->spec.op);

  if (op->sum)
    result->sum_real += real_of_words(plan, words);
  if (op->squares)
    result->squares_real += real_of_words(plan, words + (op->sum ? plan->words / 2 : 0));
}

static MsWide
squares_of_words(const MsReducePlan *plan, const guint64 *words)
{
  if (!ms_reduce_squares_are_wide(plan))
    return (MsWide)words[0];
  return (MsWide)words[0] + ((MsWide)words[1] << 32);
}

static MsWide
sum_of_word(const MsReducePlan *plan, guint64 word)
{
  return ms_element_type_is_signed(plan->spec.type) ? (MsWide)(gint64)word : (MsWide)word;
}

static void
fold_whole_sums(const MsReducePlan *plan, const guint64 *words, MsReduceResult *result)
{
  const MsReduceOperator *op = ms_reduce_operator(plan->spec.op);

  if (op->sum)
    result->sum += sum_of_word(plan, words[0]);
  if (op->squares)
    result->squares += squares_of_words(plan, words + (op->sum ? 1 : 0));
}

/**
 * ms_reduce_result_fold:
 * @words: one partial of @plan's kernels, plan->words long
 * @first_element: index of the element that the partial's position 0 stands for
 */
void
ms_reduce_result_fold(const MsReducePlan *plan, const guint64 *words, guint64 first_element, MsReduceResult *result)
{
  if (ms_reduce_operator_is_extreme(ms_reduce_operator(plan->spec.op)))
    fold_extremes(plan, words, first_element, result);
  else if (ms_reduce_total_is_real(plan))
    fold_real_sums(plan, words, result);
  else
    fold_whole_sums(plan, words, result);
}

/** ms_reduce_atomic_start: the words that an atomic finish starts from: zero sums, extremes beyond every element. */
void
ms_reduce_atomic_start(const MsReducePlan *plan, guint64 *words)
{
  guint64 beyond_low = plan->atomic_keys ? G_MAXUINT32 : bits_of_double(INFINITY);
  guint64 beyond_high = plan->atomic_keys ? 0 : bits_of_double(-INFINITY);

  const MsReduceOperator *op = ms_reduce_operator(plan->spec.op);

  memset(words, 0, MS_REDUCE_MAX_WORDS * sizeof *words);
  if (op->low)
    words[0] = beyond_low;
  if (op->high)
    words[op->low ? 1 : 0] = beyond_high;
}
