/* SPDX-License-Identifier: MIT */
/* One image's results as a line of CSV. */
#pragma once

#include "core/batch/item.h"

char *ms_image_report_csv_header(void);
char *ms_image_report_csv_line(const MsBatchItem *item);
