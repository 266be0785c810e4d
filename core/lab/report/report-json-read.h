/* SPDX-License-Identifier: MIT */
/* Reads reports from JSON. */
#pragma once

#include "core/lab/report/report.h"

MsReport *ms_report_from_node(JsonNode *node, GError **error);
MsReport *ms_report_from_json(const char *text, gssize length, GError **error);
MsReport *ms_report_load(const char *path, GError **error);
GPtrArray *ms_reports_load(const char *path, GError **error);
