/* SPDX-License-Identifier: MIT */
#include "core/factors-json.h"

#include "core/json.h"

/** ms_json_add_factors: (nullable) @factors as an object of strings, in their order. */
void
ms_json_add_factors(JsonBuilder *builder, const char *name, const MsFactors *factors)
{
  json_builder_set_member_name(builder, name);
  if (!factors) {
    json_builder_add_null_value(builder);
    return;
  }
  json_builder_begin_object(builder);
  for (guint i = 0; i < ms_factors_size(factors); i++)
    ms_json_add_text(builder, ms_factors_key(factors, i), ms_factors_value(factors, i));
  json_builder_end_object(builder);
}

/** ms_json_get_factors: (transfer full) (nullable): an object of strings. */
MsFactors *
ms_json_get_factors(JsonObject *object, const char *name)
{
  JsonObject *member = ms_json_get_object(object, name);
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  if (!member)
    return NULL;
  MsFactors *factors = ms_factors_new();
  json_object_iter_init_ordered(&iter, member);
  while (json_object_iter_next_ordered(&iter, &key, &node))
    if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING)
      ms_factors_set(factors, key, json_node_get_string(node));
  return factors;
}
