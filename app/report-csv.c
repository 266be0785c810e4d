/* SPDX-License-Identifier: MIT */
#include "app/report.h"

#include <string.h>

static const MsStage stages[] = {MS_STAGE_DECODE, MS_STAGE_BUILD,    MS_STAGE_UPLOAD,
                                 MS_STAGE_KERNEL, MS_STAGE_DOWNLOAD, MS_STAGE_ENCODE};

/*
 * RFC 4180: quoted where it must be, quotes doubled. A name that is no UTF-8 is converted as in JSON, so that both
 * name it alike.
 */
static void
append_cell(GString *line, const char *content)
{
  g_autofree char *text = g_utf8_make_valid(content, -1);

  if (line->len > 0)
    g_string_append_c(line, ',');
  if (!strpbrk(text, ",\"\r\n")) {
    g_string_append(line, text);
    return;
  }
  g_string_append_c(line, '"');
  for (const char *p = text; *p; p++)
    g_string_append_printf(line, *p == '"' ? "\"%c" : "%c", *p);
  g_string_append_c(line, '"');
}

static void
append_int(GString *line, guint64 value)
{
  g_string_append_printf(line, "%s%" G_GUINT64_FORMAT, line->len > 0 ? "," : "", value);
}

static void
append_ms(GString *line, double value)
{
  g_autofree char *text = ms_image_report_number(value, "%.6f");

  append_cell(line, text);
}

/** ms_image_report_csv_header: (transfer full): the names of the columns. */
char *
ms_image_report_csv_header(void)
{
  GString *line = g_string_new("seq,input,output,status,error,width,height");
  guint n = 0;
  const MsOptionInfo *infos = ms_options_table(&n);

  for (guint i = 0; i < n; i++)
    append_cell(line, infos[i].json);
  g_string_append(line, ",kernel_ms_median,kernel_ms_min,kernel_ms_max,kernel_ms_n,filter_ms_median");
  for (gsize i = 0; i < G_N_ELEMENTS(stages); i++)
    g_string_append_printf(line, ",%s_ms", ms_stage_name(stages[i]));
  g_string_append(line, ",mismatched_pixels,max_difference\n");
  return g_string_free(line, FALSE);
}

static void
append_what(GString *line, const MsBatchItem *item)
{
  gboolean pending = item->status == MS_ITEM_PENDING;

  append_int(line, item->seq);
  append_cell(line, item->input);
  append_cell(line, item->output ? item->output : "");
  append_cell(line, ms_item_status_name(pending ? MS_ITEM_SKIPPED : item->status));
  append_cell(line, item->error ? item->error : "");
  append_int(line, (guint64)item->width);
  append_int(line, (guint64)item->height);
}

static void
append_settings(GString *line, const MsSettings *settings)
{
  guint n = 0;
  const MsOptionInfo *infos = ms_options_table(&n);

  for (guint i = 0; i < n; i++) {
    g_autofree char *value = ms_option_get_text(&infos[i], settings);
    append_cell(line, value);
  }
}

static void
append_times(GString *line, const MsBatchItem *item)
{
  MsRepeatTime time = ms_image_report_repeat_time(item->kernel_ms);

  append_ms(line, time.median);
  append_ms(line, time.min);
  append_ms(line, time.max);
  append_int(line, time.n);
  append_ms(line, ms_image_report_repeat_time(item->filter_ms).median);
  for (gsize i = 0; i < G_N_ELEMENTS(stages); i++)
    append_ms(line, item->log ? ms_timing_log_total_ms(item->log, stages[i]) : 0);
}

/** ms_image_report_csv_line: (transfer full): one image. */
char *
ms_image_report_csv_line(const MsBatchItem *item)
{
  GString *line = g_string_new(NULL);

  append_what(line, item);
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
