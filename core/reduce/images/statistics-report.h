/* SPDX-License-Identifier: MIT */
/* Statistics and comparisons of images as tables for people and as JSON for programs; numbers in the C locale. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/reduce/images/image-comparison.h"
#include "core/reduce/images/image-statistics.h"

char *ms_image_statistics_to_text(const MsImageStatistics *self);
void ms_image_statistics_add_json(const MsImageStatistics *self, JsonBuilder *builder);
char *ms_image_comparison_to_text(const MsImageComparison *self);
void ms_image_comparison_add_json(const MsImageComparison *self, JsonBuilder *builder);
