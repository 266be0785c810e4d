/* SPDX-License-Identifier: MIT */
/* MsFactors as members of JSON objects. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/factors.h"

void ms_json_add_factors(JsonBuilder *builder, const char *name, const MsFactors *factors);
MsFactors *ms_json_get_factors(JsonObject *object, const char *name);
