/* SPDX-License-Identifier: MIT */
/*
 * Experiments as files: GKeyFile text with groups for the axes, the fixed factors, the plot and the published values;
 * and as JSON inside a report, so that a report can be read, drawn and resumed without its experiment file.
 */
#pragma once

#include "core/lab/experiment/experiment.h"
#include "core/record/record.h"

MsExperiment *ms_experiment_parse(const char *name, const char *text, gssize length, GError **error);
MsExperiment *ms_experiment_load(const char *name_or_path, GError **error);
char **ms_experiment_list_names(void);
GPtrArray *ms_experiment_list(GError **error);

char *ms_experiment_peer_script(void);
GBytes *ms_experiment_template(const char *name, GError **error);

extern const MsRecord ms_experiment_record;
MsExperiment *ms_json_get_experiment(JsonObject *object, GError **error);
