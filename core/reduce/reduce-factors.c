/* SPDX-License-Identifier: MIT */
#include "core/reduce/reduce-factors.h"

#include "core/reduce/variant.h"

static gboolean
has_single_options(const MsFactors *factors)
{
  for (guint i = 0; i < ms_factors_size(factors); i++)
    if (ms_reduce_option_find(ms_factors_key(factors, i)))
      return TRUE;
  return FALSE;
}

/* Joins the variant and single options into one text, as --variant takes it. */
static gboolean
parse_options(const MsFactors *factors, MsReduceOptions *options, GError **error)
{
  const char *usual = has_single_options(factors) ? "naive" : "auto";
  g_autoptr(GString) variant = g_string_new(ms_factors_get_or(factors, "variant", usual));

  for (guint i = 0; i < ms_factors_size(factors); i++) {
    const char *key = ms_factors_key(factors, i);
    if (ms_reduce_option_find(key))
      g_string_append_printf(variant, ",%s=%s", key, ms_factors_value(factors, i));
  }
  return ms_reduce_variant_parse(variant->str, options, error);
}

/**
 * ms_reduce_from_factors:
 * @factors: op, type, size, variant and single options, of an experiment or a tuned winner; missing keys take their
 *   defaults, keys of other kinds are ignored
 * @spec: (out): the operation and the type of the elements
 * @n: (out): the number of elements
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when a value is malformed or out of range
 */
gboolean
ms_reduce_from_factors(const MsFactors *factors, MsReduceSpec *spec, MsReduceOptions *options, guint64 *n,
                       GError **error)
{
  MsReduceOp op;
  MsElementType type;
  gint64 width, height;

  if (!ms_reduce_op_parse(ms_factors_get_or(factors, "op", "sum"), &op, error) ||
      !ms_element_type_parse(ms_factors_get_or(factors, "type", "uint"), &type, error) ||
      !ms_factors_parse_size(ms_factors_get_or(factors, "size", "2^20"), &width, &height, error) ||
      !parse_options(factors, options, error))
    return FALSE;
  *spec = (MsReduceSpec){op, type, -1};
  *n = (guint64)width * (guint64)height;
  return TRUE;
}
