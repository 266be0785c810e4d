/* SPDX-License-Identifier: MIT */
#include "tests/support/json-schema.h"

#include <string.h>

static char *check(JsonObject *schema, JsonNode *node, const char *path);

static const char *
type_of(JsonNode *node)
{
  switch (JSON_NODE_TYPE(node)) {
  case JSON_NODE_OBJECT:
    return "object";
  case JSON_NODE_ARRAY:
    return "array";
  case JSON_NODE_NULL:
    return "null";
  case JSON_NODE_VALUE:
    break;
  }
  GType type = json_node_get_value_type(node);
  return type == G_TYPE_STRING    ? "string"
         : type == G_TYPE_BOOLEAN ? "boolean"
         : type == G_TYPE_INT64   ? "integer"
                                  : "number";
}

static gboolean
type_fits(const char *wanted, const char *actual)
{
  return strcmp(wanted, actual) == 0 || (strcmp(wanted, "number") == 0 && strcmp(actual, "integer") == 0);
}

static gboolean
any_type_fits(JsonNode *wanted, const char *actual)
{
  if (JSON_NODE_HOLDS_VALUE(wanted))
    return type_fits(json_node_get_string(wanted), actual);
  JsonArray *all = json_node_get_array(wanted);
  for (guint i = 0; i < json_array_get_length(all); i++)
    if (type_fits(json_array_get_string_element(all, i), actual))
      return TRUE;
  return FALSE;
}

static gboolean
in_enum(JsonArray *all, JsonNode *node)
{
  for (guint i = 0; i < json_array_get_length(all); i++)
    if (json_node_equal(json_array_get_element(all, i), node))
      return TRUE;
  return FALSE;
}

static char *
check_member(JsonObject *schema, const char *name, JsonNode *value, const char *path)
{
  JsonNode *known = json_object_has_member(schema, "properties")
                      ? json_object_get_member(json_object_get_object_member(schema, "properties"), name)
                      : NULL;
  JsonNode *others = json_object_get_member(schema, "additionalProperties");
  g_autofree char *inner = g_strdup_printf("%s.%s", path, name);

  if (known)
    return check(json_node_get_object(known), value, inner);
  if (!others)
    return NULL;
  if (JSON_NODE_HOLDS_OBJECT(others))
    return check(json_node_get_object(others), value, inner);
  return json_node_get_boolean(others) ? NULL : g_strdup_printf("%s is not allowed", inner);
}

static char *
check_object(JsonObject *schema, JsonObject *object, const char *path)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  if (json_object_has_member(schema, "required")) {
    JsonArray *required = json_object_get_array_member(schema, "required");
    for (guint i = 0; i < json_array_get_length(required); i++)
      if (!json_object_has_member(object, json_array_get_string_element(required, i)))
        return g_strdup_printf("%s lacks %s", path, json_array_get_string_element(required, i));
  }
  json_object_iter_init(&iter, object);
  while (json_object_iter_next(&iter, &name, &value)) {
    char *violation = check_member(schema, name, value, path);
    if (violation)
      return violation;
  }
  return NULL;
}

static char *
check_items(JsonObject *schema, JsonArray *array, const char *path)
{
  if (!json_object_has_member(schema, "items"))
    return NULL;
  for (guint i = 0; i < json_array_get_length(array); i++) {
    g_autofree char *inner = g_strdup_printf("%s[%u]", path, i);
    char *violation = check(json_object_get_object_member(schema, "items"), json_array_get_element(array, i), inner);
    if (violation)
      return violation;
  }
  return NULL;
}

static char *
check(JsonObject *schema, JsonNode *node, const char *path)
{
  JsonNode *type = json_object_get_member(schema, "type");

  if (type && !any_type_fits(type, type_of(node)))
    return g_strdup_printf("%s is of type %s", path, type_of(node));
  if (json_object_has_member(schema, "enum") && !in_enum(json_object_get_array_member(schema, "enum"), node))
    return g_strdup_printf("%s has a value that is not listed", path);
  if (JSON_NODE_HOLDS_OBJECT(node))
    return check_object(schema, json_node_get_object(node), path);
  if (JSON_NODE_HOLDS_ARRAY(node))
    return check_items(schema, json_node_get_array(node), path);
  return NULL;
}

/** ms_test_schema_violation: (transfer full) (nullable): the first part of @node that @schema does not allow. */
char *
ms_test_schema_violation(JsonNode *schema, JsonNode *node)
{
  return check(json_node_get_object(schema), node, "$");
}
