/* SPDX-License-Identifier: MIT */
#include "core/json.h"

#include <math.h>
#include <string.h>

#include "core/error.h"

/*
 * json-glib parses recursively, so a deeply nested file would overflow the stack; the program's own files have at most
 * ten levels.
 */
#define MOST_LEVELS 64

/* 2^53: beyond it a double skips whole numbers. */
#define LARGEST_EXACT 9007199254740992.0

static gboolean
is_too_deep(const char *text, gsize length)
{
  gsize levels = 0;
  gboolean in_string = FALSE;

  for (gsize i = 0; i < length; i++) {
    if (in_string && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      in_string = !in_string;
    else if (!in_string && (text[i] == '[' || text[i] == '{') && ++levels > MOST_LEVELS)
      return TRUE;
    else if (!in_string && (text[i] == ']' || text[i] == '}') && levels > 0)
      levels--;
  }
  return FALSE;
}

/**
 * ms_json_parse:
 * @text: untrusted text
 * @length: bytes, or -1 when it ends in a zero
 *
 * Returns: (transfer full): the root, or %NULL with #MS_ERROR_FORMAT or json-glib's own error
 */
JsonNode *
ms_json_parse(const char *text, gssize length, GError **error)
{
  g_autoptr(JsonParser) parser = json_parser_new();
  gsize size = length < 0 ? strlen(text) : (gsize)length;

  if (is_too_deep(text, size)) {
    ms_set_error(error, MS_ERROR_FORMAT, "This JSON is nested more than %d levels deep.", MOST_LEVELS);
    return NULL;
  }
  if (!json_parser_load_from_data(parser, text, (gssize)size, error))
    return NULL;
  JsonNode *root = json_parser_steal_root(parser);
  if (!root)
    ms_set_error_literal(error, MS_ERROR_FORMAT, "This JSON is empty.");
  return root;
}

/** ms_json_begin_object: begins an object as a member; json_builder_end_object() ends it. */
void
ms_json_begin_object(JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name(builder, name);
  json_builder_begin_object(builder);
}

/** ms_json_begin_array: begins an array as a member; json_builder_end_array() ends it. */
void
ms_json_begin_array(JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name(builder, name);
  json_builder_begin_array(builder);
}

/** ms_json_add_number_element: adds a number to an array; null where it is unknown, since JSON has no word for NAN. */
void
ms_json_add_number_element(JsonBuilder *builder, double value)
{
  if (isfinite(value))
    json_builder_add_double_value(builder, value);
  else
    json_builder_add_null_value(builder);
}

void
ms_json_add_number(JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name(builder, name);
  ms_json_add_number_element(builder, value);
}

void
ms_json_add_integer(JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name(builder, name);
  json_builder_add_int_value(builder, value);
}

void
ms_json_add_boolean(JsonBuilder *builder, const char *name, gboolean value)
{
  json_builder_set_member_name(builder, name);
  json_builder_add_boolean_value(builder, value);
}

/**
 * ms_json_add_text: adds @text (nullable), whose bytes that are not UTF-8 are replaced, since a file name may contain
 * any.
 */
void
ms_json_add_text(JsonBuilder *builder, const char *name, const char *text)
{
  g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

  json_builder_set_member_name(builder, name);
  if (valid)
    json_builder_add_string_value(builder, valid);
  else
    json_builder_add_null_value(builder);
}

static JsonNode *
find_member(JsonObject *object, const char *name, JsonNodeType type)
{
  JsonNode *node = json_object_get_member(object, name);

  return node && JSON_NODE_TYPE(node) == type ? node : NULL;
}

/** ms_json_builder_to_text: (transfer full): what was built, indented, with a line break at the end. */
char *
ms_json_builder_to_text(JsonBuilder *builder)
{
  g_autoptr(JsonNode) root = json_builder_get_root(builder);
  g_autofree char *json = json_to_string(root, TRUE);

  return g_strconcat(json, "\n", NULL);
}

/** ms_json_get_number: NAN when the member is absent, null or no number. */
double
ms_json_get_number(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_VALUE);
  GType type = node ? json_node_get_value_type(node) : G_TYPE_NONE;

  return type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double(node) : NAN;
}

/** ms_json_get_integer: 0 when the member is absent, no number, or beyond 2^53, where a double is no longer exact. */
gint64
ms_json_get_integer(JsonObject *object, const char *name)
{
  double value = ms_json_get_number(object, name);

  return fabs(value) <= LARGEST_EXACT ? (gint64)value : 0;
}

/** ms_json_get_boolean: @fallback when the member is absent or neither true nor false. */
gboolean
ms_json_get_boolean(JsonObject *object, const char *name, gboolean fallback)
{
  JsonNode *node = find_member(object, name, JSON_NODE_VALUE);

  return node && json_node_get_value_type(node) == G_TYPE_BOOLEAN ? json_node_get_boolean(node) : fallback;
}

/** ms_json_get_text: (transfer none) (nullable): %NULL when the member is absent, null or no string. */
const char *
ms_json_get_text(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_VALUE);

  return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
}

/** ms_json_get_object: (transfer none) (nullable): %NULL when the member is absent or no object. */
JsonObject *
ms_json_get_object(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_OBJECT);

  return node ? json_node_get_object(node) : NULL;
}

/** ms_json_get_array: (transfer none) (nullable): %NULL when the member is absent or no array. */
JsonArray *
ms_json_get_array(JsonObject *object, const char *name)
{
  JsonNode *node = find_member(object, name, JSON_NODE_ARRAY);

  return node ? json_node_get_array(node) : NULL;
}

/** ms_json_get_element: (transfer none) (nullable): %NULL when this element of @array is no object. */
JsonObject *
ms_json_get_element(JsonArray *array, guint index)
{
  JsonNode *node = json_array_get_element(array, index);

  return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

/** ms_json_dup_element_text: (transfer full) (nullable): %NULL where the element is no string. */
char *
ms_json_dup_element_text(JsonArray *array, guint index)
{
  JsonNode *node = json_array_get_element(array, index);

  return JSON_NODE_HOLDS_VALUE(node) ? g_strdup(json_node_get_string(node)) : NULL;
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
