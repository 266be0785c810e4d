/* SPDX-License-Identifier: MIT */
/* One image's results: as a JSON object, with the text around the objects of a report, as CSV, and for a person. */
#pragma once

#include "core/batch/item.h"
#include "core/engine/engine.h"
#include "core/record/record.h"

extern const MsRecord ms_image_report_record;

char *ms_image_report_json_head(const MsEngineInfo *device);
JsonNode *ms_image_report_node(const MsBatchItem *item);
char *ms_image_report_json_tail(const MsBatchCounts *counts, double seconds, gboolean interrupted);
char *ms_image_report_csv_header(void);
char *ms_image_report_csv_line(JsonNode *image);
char *ms_image_report_text_title(const MsBatchItem *item);
char *ms_image_report_text_timings(const MsBatchItem *item);
char *ms_image_report_text_verify(const MsBatchItem *item);
