/* SPDX-License-Identifier: MIT */
/* One image's results as a JSON object, and the text around the objects of a whole report. */
#pragma once

#include "core/batch/item.h"
#include "core/engine/engine.h"

char *ms_image_report_json_head(const MsEngineInfo *device);
char *ms_image_report_json_image(const MsBatchItem *item);
char *ms_image_report_json_tail(const MsBatchCounts *counts, double seconds, gboolean interrupted);
