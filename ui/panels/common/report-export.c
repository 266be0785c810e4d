/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/report-export.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/error.h"
#include "core/lab/report/report-chart.h"
#include "core/lab/report/report-csv.h"
#include "core/lab/report/report-json.h"
#include "core/lab/report/report-markdown.h"

#define CHART_WIDTH 960.0
#define CHART_HEIGHT 560.0

static const struct {
  const char *extension;
  const char *title;
} formats[MS_N_EXPORTS] = {
  [MS_EXPORT_CSV] = {"csv", N_("Table as _CSV…")},          [MS_EXPORT_JSON] = {"json", N_("Everything as _JSON…")},
  [MS_EXPORT_MARKDOWN] = {"md", N_("Table as _Markdown…")}, [MS_EXPORT_SVG] = {"svg", N_("Chart as _SVG…")},
  [MS_EXPORT_PNG] = {"png", N_("Chart as _PNG…")},
};

const char *
ms_export_extension(MsExport format)
{
  return formats[format].extension;
}

/** ms_export_title: the menu item, with a mnemonic */
const char *
ms_export_title(MsExport format)
{
  return _(formats[format].title);
}

gboolean
ms_export_parse(const char *extension, MsExport *format)
{
  for (guint i = 0; i < MS_N_EXPORTS; i++)
    if (strcmp(formats[i].extension, extension) == 0) {
      *format = i;
      return TRUE;
    }
  return FALSE;
}

/** ms_export_file_name: (transfer full): the suggested file name */
char *
ms_export_file_name(const MsReport *report, MsExport format)
{
  return g_strdup_printf("%s.%s", report->experiment->name, ms_export_extension(format));
}

static char *
text_of(const MsReport *report, MsExport format)
{
  switch (format) {
  case MS_EXPORT_CSV:
    return ms_report_to_csv(report);
  case MS_EXPORT_JSON:
    return ms_report_to_json(report);
  default:
    return ms_report_to_markdown(report);
  }
}

static gboolean
write_text(const MsReport *report, MsExport format, const char *path, GError **error)
{
  g_autofree char *text = text_of(report, format);
  g_autoptr(GError) failure = NULL;

  if (g_file_set_contents(path, text, -1, &failure))
    return TRUE;
  g_set_error(error, MS_ERROR, MS_ERROR_IO, _("The report could not be written to %s: %s"), path, failure->message);
  return FALSE;
}

/**
 * ms_report_export:
 * @theme: of the chart
 *
 * Writes all of @path or leaves it as it was.
 */
gboolean
ms_report_export(const MsReport *report, MsExport format, MsChartTheme theme, const char *path, GError **error)
{
  if (format != MS_EXPORT_SVG && format != MS_EXPORT_PNG)
    return write_text(report, format, path, error);
  g_autoptr(MsChart) chart = ms_report_to_chart(report);
  return (format == MS_EXPORT_SVG ? ms_chart_save_svg : ms_chart_save_png)(chart, path, CHART_WIDTH, CHART_HEIGHT,
                                                                           theme, error);
}
