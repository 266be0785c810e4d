/* SPDX-License-Identifier: MIT */
#include "mslab-reduction.h"

#include <glib/gi18n-lib.h>

#include "api-private.h"
#include "core/reduce/reduce.h"
#include "core/reduce/operators.h"

/**
 * MslabReduction:
 *
 * The result of reducing an array. It is immutable, so threads may share it.
 */
struct _MslabReduction {
  GObject parent_instance;
  MsReduceResult result;
};

G_DEFINE_FINAL_TYPE(MslabReduction, mslab_reduction, G_TYPE_OBJECT)

static void
mslab_reduction_class_init(MslabReductionClass *klass)
{
}

static void
mslab_reduction_init(MslabReduction *self)
{
}

static gboolean
check_elements(GBytes *elements, MsElementType type, GError **error)
{
  gsize size = g_bytes_get_size(elements);
  gsize step = ms_element_type_size(type);

  if (size > 0 && size % step == 0)
    return TRUE;
  g_set_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE, _("%zu bytes are not an array of elements of %zu bytes."), size,
              step);
  return FALSE;
}

/* ms_api_reduction_new: (transfer full): computed on @context, or by the serial code where it is %NULL. */
MslabReduction *
ms_api_reduction_new(const MsReduceSpec *spec, GBytes *elements, MsContext *context, GCancellable *cancellable,
                     GError **error)
{
  const MsReduceRequest request = {*spec, ms_reduce_options_auto()};
  MsReduceResult result = {0};
  MsReduceInput input = {.host = g_bytes_get_data(elements, NULL)};
  const MsReduceJob job = {&result, NULL, cancellable};

  if (!check_elements(elements, spec->type, error))
    return NULL;
  input.n = g_bytes_get_size(elements) / ms_element_type_size(spec->type);
  if (!(context ? ms_reduce_array(context, &request, &input, &job, error)
                : ms_reduce_serial(spec, input.host, input.n, &result, error)))
    return NULL;
  MslabReduction *self = g_object_new(MSLAB_TYPE_REDUCTION, NULL);
  self->result = result;
  return self;
}

/**
 * mslab_reduction_get_number:
 * @self: a result
 *
 * Gets the result as a number: of a range its minimum. Integers beyond 2^53 are rounded; mslab_reduction_get_text()
 * gives all digits.
 *
 * Returns: the number
 */
double
mslab_reduction_get_number(MslabReduction *self)
{
  g_return_val_if_fail(MSLAB_IS_REDUCTION(self), 0);
  return ms_reduce_result_number(&self->result);
}

/**
 * mslab_reduction_is_integer:
 * @self: a result
 *
 * Gets whether the numbers of the result are integers by the operation and the type of the elements, such as a sum of
 * integers or a count; a mean of integers is none.
 *
 * Returns: %TRUE for integers
 */
gboolean
mslab_reduction_is_integer(MslabReduction *self)
{
  g_return_val_if_fail(MSLAB_IS_REDUCTION(self), FALSE);
  return ms_reduce_result_is_integer(&self->result);
}

/**
 * mslab_reduction_get_text:
 * @self: a result
 *
 * Gets the result as text in the C locale, with all digits.
 *
 * Returns: (transfer full): the text
 */
char *
mslab_reduction_get_text(MslabReduction *self)
{
  g_return_val_if_fail(MSLAB_IS_REDUCTION(self), NULL);
  return ms_reduce_result_to_string(&self->result);
}

/**
 * mslab_reduction_get_range:
 * @self: a result
 * @minimum: (out): receives the least element
 * @maximum: (out): receives the greatest element
 *
 * Gets both extremes of the elements.
 *
 * Returns: whether the result is a pair, as that of `minMax` is; otherwise nothing is set
 */
gboolean
mslab_reduction_get_range(MslabReduction *self, double *minimum, double *maximum)
{
  g_return_val_if_fail(MSLAB_IS_REDUCTION(self), FALSE);

  double numbers[MS_REDUCE_MAX_NUMBERS];
  if (ms_reduce_result_numbers(&self->result, numbers) < 2)
    return FALSE;
  *minimum = numbers[0];
  *maximum = numbers[1];
  return TRUE;
}

/**
 * mslab_reduction_get_positions:
 * @self: a result
 * @minimum_at: (out): receives the index of the first least element
 * @maximum_at: (out): receives the index of the first greatest element
 *
 * Gets where the extremes lie; both are %G_MAXUINT64 where every element is NaN.
 *
 * Returns: whether the result has positions, as that of `minMax-positions` has; otherwise nothing is set
 */
gboolean
mslab_reduction_get_positions(MslabReduction *self, guint64 *minimum_at, guint64 *maximum_at)
{
  g_return_val_if_fail(MSLAB_IS_REDUCTION(self), FALSE);

  if (ms_reduce_operator(self->result.op)->shape != MS_REDUCE_PAIR_AT)
    return FALSE;
  *minimum_at = self->result.min_at;
  *maximum_at = self->result.max_at;
  return TRUE;
}
