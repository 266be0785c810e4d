/* SPDX-License-Identifier: MIT */
/* Checks JSON by the project's schemas with Python's jsonschema. */
#pragma once

#include <json-glib/json-glib.h>

char *ms_test_schema_violation(const char *path, JsonNode *node);
