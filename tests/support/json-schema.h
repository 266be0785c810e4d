/* SPDX-License-Identifier: MIT */
/*
 * As much of JSON Schema as the project's own schemas use: type, enum, required, properties, additionalProperties,
 * items.
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

char *ms_test_schema_violation(JsonNode *schema, JsonNode *node);

G_END_DECLS
