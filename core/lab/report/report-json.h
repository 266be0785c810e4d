/* SPDX-License-Identifier: MIT */
/* A report as JSON, with everything to resume it or to compare with it, and as CSV. */
#pragma once

#include "core/lab/report/report.h"
#include "core/record/record.h"

extern const MsRecord ms_report_record;

char *ms_report_to_json(const MsReport *self);
JsonNode *ms_report_to_json_node(const MsReport *self);
MsReport *ms_report_from_node(JsonNode *node, GError **error);
MsReport *ms_report_from_json(const char *text, gssize length, GError **error);
MsReport *ms_report_load(const char *path, GError **error);
GPtrArray *ms_reports_load(const char *path, GError **error);
char *ms_report_to_csv(const MsReport *self);
