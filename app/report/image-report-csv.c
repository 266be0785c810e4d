/* SPDX-License-Identifier: MIT */
#include "app/report/image-report-csv.h"

#include "core/csv.h"
#include "core/lab/measure/statistics.h"
#include "core/number.h"

static const MsStage stages[] = {MS_STAGE_DECODE, MS_STAGE_BUILD,    MS_STAGE_UPLOAD,
                                 MS_STAGE_KERNEL, MS_STAGE_DOWNLOAD, MS_STAGE_ENCODE};

static void
append_int(GString *line, guint64 value)
{
  g_string_append_printf(line, "%s%" G_GUINT64_FORMAT, line->len > 0 ? "," : "", value);
}

static void
append_ms(GString *line, double value)
{
  g_autofree char *text = ms_number_format(value, "%.6f");

  ms_csv_append(line, text);
}

/** ms_image_report_csv_header: (transfer full): the names of the columns. */
char *
ms_image_report_csv_header(void)
{
  GString *line = g_string_new("seq,input,output,status,error,width,height");
  const MsOptionInfo *rows = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++)
    ms_csv_append(line, rows[i].json);
  g_string_append(line, ",kernel_ms_median,kernel_ms_min,kernel_ms_max,kernel_ms_n,filter_ms_median");
  for (gsize i = 0; i < G_N_ELEMENTS(stages); i++)
    g_string_append_printf(line, ",%s_ms", ms_stage_name(stages[i]));
  g_string_append(line, ",mismatched_pixels,max_difference\n");
  return g_string_free(line, FALSE);
}

static void
append_item(GString *line, const MsBatchItem *item)
{
  gboolean pending = item->status == MS_ITEM_PENDING;

  append_int(line, item->seq);
  ms_csv_append_path(line, item->input);
  ms_csv_append_path(line, item->output);
  ms_csv_append(line, ms_item_status_name(pending ? MS_ITEM_SKIPPED : item->status));
  ms_csv_append(line, item->error);
  append_int(line, (guint64)item->width);
  append_int(line, (guint64)item->height);
}

static void
append_settings(GString *line, const MsSettings *settings)
{
  const MsOptionInfo *rows = ms_options.rows;

  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&rows[i], settings);
    ms_csv_append(line, value);
  }
}

static void
append_times(GString *line, const MsBatchItem *item)
{
  MsSummary time = ms_statistics_summarise((const double *)item->kernel_ms->data, item->kernel_ms->len);
  MsSummary whole = ms_statistics_summarise((const double *)item->filter_ms->data, item->filter_ms->len);

  append_ms(line, time.n > 0 ? time.median : 0);
  append_ms(line, time.n > 0 ? time.minimum : 0);
  append_ms(line, time.n > 0 ? time.maximum : 0);
  append_int(line, time.n);
  append_ms(line, whole.n > 0 ? whole.median : 0);
  for (gsize i = 0; i < G_N_ELEMENTS(stages); i++)
    append_ms(line, item->log ? ms_timing_log_total_ms(item->log, stages[i]) : 0);
}

/** ms_image_report_csv_line: (transfer full): the line of one image. */
char *
ms_image_report_csv_line(const MsBatchItem *item)
{
  GString *line = g_string_new(NULL);

  append_item(line, item);
  append_settings(line, &item->used);
  append_times(line, item);
  if (item->verified) {
    append_int(line, item->difference.mismatched_pixels);
    append_int(line, (guint64)item->difference.max_difference);
  } else {
    g_string_append(line, ",,");
  }
  g_string_append_c(line, '\n');
  return g_string_free(line, FALSE);
}
