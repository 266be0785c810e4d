/* SPDX-License-Identifier: MIT */
/*
 * Experiments as files: GKeyFile text with groups for the axes, the fixed factors, the plot and the published values;
 * and as JSON inside a report, so that a report can be read, drawn and resumed without its experiment file.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "core/lab/experiment/experiment.h"

MsExperiment *ms_experiment_parse(const char *name, const char *text, gssize length, GError **error);
MsExperiment *ms_experiment_load(const char *name_or_path, GError **error);
char **ms_experiment_list_names(void);
GPtrArray *ms_experiment_list(GError **error);

char *ms_experiment_peer_script(void);

void ms_json_add_experiment(JsonBuilder *builder, const MsExperiment *experiment);
MsExperiment *ms_json_get_experiment(JsonObject *object, GError **error);
