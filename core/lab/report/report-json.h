/* SPDX-License-Identifier: MIT */
/* Writes a report as JSON. */
#pragma once

#include "core/lab/report/report.h"

char *ms_report_to_json(const MsReport *self);
JsonNode *ms_report_to_json_node(const MsReport *self);
