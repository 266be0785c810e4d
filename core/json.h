/* SPDX-License-Identifier: MIT */
/* Writes and reads members of JSON objects with the types that reports need; a number that is not finite is null. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/factors.h"

JsonNode *ms_json_parse(const char *text, gssize length, GError **error);

void ms_json_begin_object(JsonBuilder *builder, const char *name);
void ms_json_begin_array(JsonBuilder *builder, const char *name);
void ms_json_add_number(JsonBuilder *builder, const char *name, double value);
void ms_json_add_number_element(JsonBuilder *builder, double value);
void ms_json_add_integer(JsonBuilder *builder, const char *name, gint64 value);
void ms_json_add_boolean(JsonBuilder *builder, const char *name, gboolean value);
void ms_json_add_text(JsonBuilder *builder, const char *name, const char *text);
void ms_json_add_factors(JsonBuilder *builder, const char *name, const MsFactors *factors);

char *ms_json_builder_to_text(JsonBuilder *builder);

double ms_json_get_number(JsonObject *object, const char *name);
gint64 ms_json_get_integer(JsonObject *object, const char *name);
gboolean ms_json_get_boolean(JsonObject *object, const char *name, gboolean fallback);
const char *ms_json_get_text(JsonObject *object, const char *name);
MsFactors *ms_json_get_factors(JsonObject *object, const char *name);
JsonObject *ms_json_get_object(JsonObject *object, const char *name);
JsonArray *ms_json_get_array(JsonObject *object, const char *name);
JsonObject *ms_json_get_element(JsonArray *array, guint index);
char *ms_json_dup_element_text(JsonArray *array, guint index);
