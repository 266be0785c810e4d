/* SPDX-License-Identifier: MIT */
/* Export of a report: table as CSV, JSON or Markdown, chart as SVG or PNG. */
#pragma once

#include "core/lab/report/report.h"

typedef enum {
  MS_EXPORT_CSV,
  MS_EXPORT_JSON,
  MS_EXPORT_MARKDOWN,
  MS_EXPORT_SVG,
  MS_EXPORT_PNG,
  MS_N_EXPORTS,
} MsExport;

const char *ms_export_extension(MsExport format);
const char *ms_export_title(MsExport format);
gboolean ms_export_parse(const char *extension, MsExport *format);
char *ms_export_file_name(const MsReport *report, MsExport format);
gboolean ms_report_export(const MsReport *report, MsExport format, MsChartTheme theme, const char *path,
                          GError **error);
