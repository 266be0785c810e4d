/* SPDX-License-Identifier: MIT */
/* One image's results as JSON, as a line of CSV and as text. */
#pragma once

#include "core/engine/engine.h"
#include "core/batch/item.h"

G_BEGIN_DECLS

/** MsRepeatTime: a time over the repeats, in milliseconds; all 0 when @n is 0. */
typedef struct {
  double median;
  double min;
  double max;
  guint n;
} MsRepeatTime;

MsRepeatTime ms_image_report_repeat_time(const GArray *samples);

char *ms_image_report_image_json(const MsBatchItem *item);
char *ms_image_report_head_json(const MsEngineInfo *device);
char *ms_image_report_tail_json(const MsBatchCounts *counts, double seconds, gboolean interrupted);

char *ms_image_report_csv_header(void);
char *ms_image_report_csv_line(const MsBatchItem *item);

char *ms_image_report_title(const MsBatchItem *item);
char *ms_image_report_timings(const MsBatchItem *item);
char *ms_image_report_verify(const MsBatchItem *item);
char *ms_image_report_findings(const MsBatchItem *item, gboolean statistics, gboolean histogram);
char *ms_image_report_number(double value, const char *format);

G_END_DECLS
