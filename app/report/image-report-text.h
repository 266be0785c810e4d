/* SPDX-License-Identifier: MIT */
/* One image's results as tables for a person. */
#pragma once

#include "core/batch/item.h"

char *ms_image_report_text_title(const MsBatchItem *item);
char *ms_image_report_text_timings(const MsBatchItem *item);
char *ms_image_report_text_verify(const MsBatchItem *item);
