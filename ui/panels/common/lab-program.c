/* SPDX-License-Identifier: MIT */
#include "ui/panels/common/lab-program.h"

#include "core/json.h"
#include "core/lab/experiment/experiment-file.h"
#include "core/lab/report/report-json-read.h"

/** ms_lab_program_add_experiment: adds --experiment with a file of it, whatever it was made from. */
void
ms_lab_program_add_experiment(MsProgramJob *job, const MsExperiment *experiment)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  ms_json_add_experiment(builder, experiment);
  g_autofree char *text = ms_json_builder_to_text(builder);
  ms_program_job_add_text(job, "experiment", "experiment.json", text);
}

/** ms_lab_program_add_picture: adds the document's picture. */
void
ms_lab_program_add_picture(MsProgramJob *job, MsDocument *document)
{
  ms_program_job_add_picture(job, ms_document_get_file(document), ms_document_get_source(document));
}

/**
 * ms_lab_program_read_report:
 * @event: of the name "report"
 * @input: (nullable): what to call the picture
 *
 * Returns: (transfer full) (nullable): the report, with why rows failed in the user's language
 */
MsReport *
ms_lab_program_read_report(JsonObject *event, const char *input)
{
  MsReport *report = ms_report_from_node(json_object_get_member(event, "report"), NULL);
  JsonArray *shown = ms_json_get_array(event, "shown");

  if (!report)
    return NULL;
  g_free(report->input);
  report->input = g_strdup(input);
  for (guint i = 0; shown && i < MIN(report->rows->len, json_array_get_length(shown)); i++) {
    const MsReportRow *row = report->rows->pdata[i];
    g_free(row->measurement->shown);
    row->measurement->shown = ms_json_dup_element_text(shown, i);
  }
  return report;
}
