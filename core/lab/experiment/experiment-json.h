/* SPDX-License-Identifier: MIT */
/* An experiment inside a JSON report, so that a report can be read, drawn and resumed without its experiment file. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/lab/experiment/experiment.h"

void ms_json_add_experiment(JsonBuilder *builder, const MsExperiment *experiment);
MsExperiment *ms_json_get_experiment(JsonObject *object, GError **error);
