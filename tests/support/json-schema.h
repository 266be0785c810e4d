/* SPDX-License-Identifier: MIT */
/*
 * The part of JSON Schema that the project's schemas use: type, enum, required, properties, additionalProperties,
 * items.
 */
#pragma once

#include <json-glib/json-glib.h>

char *ms_test_schema_violation(JsonNode *schema, JsonNode *node);
