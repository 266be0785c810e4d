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

typedef gboolean (*SaveChart)(const MsChart *chart, const char *path, const MsChartPage *page, GError **error);

/* A format is either a text or a chart. */
static const struct {
  const char *extension;
  const char *title;
  char *(*to_text)(const MsReport *report);
  SaveChart save_chart;
} formats[MS_N_EXPORTS] = {
  [MS_EXPORT_CSV] = {"csv", N_("Table as _CSV…"), .to_text = ms_report_to_csv},
  [MS_EXPORT_JSON] = {"json", N_("Everything as _JSON…"), .to_text = ms_report_to_json},
  [MS_EXPORT_MARKDOWN] = {"md", N_("Table as _Markdown…"), .to_text = ms_report_to_markdown},
  [MS_EXPORT_SVG] = {"svg", N_("Chart as _SVG…"), .save_chart = ms_chart_save_svg},
  [MS_EXPORT_PNG] = {"png", N_("Chart as _PNG…"), .save_chart = ms_chart_save_png},
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

static gboolean
write_text(const MsReport *report, MsExport format, const char *path, GError **error)
{
  g_autofree char *text = formats[format].to_text(report);
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
  if (formats[format].to_text)
    return write_text(report, format, path, error);
  g_autoptr(MsChart) chart = ms_report_to_chart(report, MS_LANGUAGE_ENGLISH);
  return formats[format].save_chart(chart, path, &(MsChartPage){CHART_WIDTH, CHART_HEIGHT, theme}, error);
}
