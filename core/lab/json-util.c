/* SPDX-License-Identifier: MIT */
/* Reading and writing JSON members with the types the lab needs; a number that is not finite is null. */
#include <math.h>

#include "core/lab/report-private.h"

void
ms_json_add_number(JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name(builder, name);
  if (isfinite(value))
    json_builder_add_double_value(builder, value);
  else
    json_builder_add_null_value(builder);
}

void
ms_json_add_text(JsonBuilder *builder, const char *name, const char *text)
{
  json_builder_set_member_name(builder, name);
  if (text)
    json_builder_add_string_value(builder, text);
  else
    json_builder_add_null_value(builder);
}

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

static JsonNode *
find_member(JsonObject *object, const char *name, JsonNodeType type)
{
  JsonNode *node = json_object_get_member(object, name);

  return node && JSON_NODE_TYPE(node) == type ? node : NULL;
}

/** ms_json_get_number: NAN when the member is absent, null or no number. */
double
ms_json_get_number(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_VALUE);
  GType type = node ? json_node_get_value_type(node) : G_TYPE_NONE;

  return type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double(node) : NAN;
}

/** ms_json_get_text: (transfer none) (nullable): %NULL when the member is absent, null or no string. */
const char *
ms_json_get_text(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_VALUE);

  return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
}

JsonObject *
ms_json_get_object(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_OBJECT);

  return node ? json_node_get_object(node) : NULL;
}

JsonArray *
ms_json_get_array(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_ARRAY);

  return node ? json_node_get_array(node) : NULL;
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
