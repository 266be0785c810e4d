/* SPDX-License-Identifier: MIT */
/* MsReport: the results of an experiment on a device, written as a table, CSV, JSON, LaTeX and a chart. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/chart/chart.h"
#include "core/image/file/atomic-file.h"
#include "core/lab/experiment/experiment.h"
#include "core/lab/measure/measurement.h"
#include "core/record/record.h"

/** MsReportDevice: the device of the measurements; a baseline must come from the same one. */
typedef struct {
  char *name;
  char *platform;
  char *driver;
  char *type;
  guint compute_units;
  gboolean by_wall_clock;
  double peak_read_gb_per_s;
  double peak_copy_gb_per_s;
} MsReportDevice;

typedef struct _MsReport MsReport;

/**
 * MsReportRow: one configuration.
 * @report: the report that has it
 * @group: rows of one group did the same work, so their times can be compared
 * @speedup: over the group's baseline
 * @published: (element-type MsPublished): its published values, owned by the experiment
 */
typedef struct {
  const MsReport *report;
  MsFactors *factors;
  char *label;
  char *group;
  gboolean baseline;
  MsMeasurement *measurement;
  MsSummary summary;
  MsSpeedup speedup;
  GPtrArray *published;
} MsReportRow;

/**
 * MsReport: reference counted; read-only for those who receive it.
 * @date: ISO 8601, UTC
 * @compiler: (nullable): of the serial code that speed-ups are measured over, with its options
 * @sources: (nullable): see ms_environment_hash_sources()
 * @accept_disturbed: whether rows that were measured while disturbed are ranked
 * @restarts: how often the driver ended the process that measured
 * @space_size: of a search for the fastest settings: how many there are; 0 in other reports
 * @elapsed_s: of a search: seconds that it took, over all its continuations
 * @winner: (nullable): of a search: the fastest settings
 */
struct _MsReport {
  MsExperiment *experiment;
  MsReportDevice device;
  char *program_version;
  char *sources;
  char *compiler;
  char *date;
  char *input;
  gboolean quick;
  gboolean complete;
  gboolean accept_disturbed;
  double noise;
  guint32 seed;
  guint restarts;
  guint64 space_size;
  double elapsed_s;
  MsFactors *winner;
  GPtrArray *rows;
};

MsReport *ms_report_new(MsExperiment *experiment);
MsReport *ms_report_ref(MsReport *self);
void ms_report_unref(MsReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsReport, ms_report_unref)

MsReportRow *ms_report_add_row(MsReport *self, const MsFactors *factors, const char *label, const char *group);
MsReportRow *ms_report_find_row(const MsReport *self, const MsFactors *factors);
void ms_report_finish_row(MsReport *self, MsReportRow *row);
MsReportRow *ms_report_find_baseline(const MsReport *self, const MsReportRow *row);
void ms_report_rank(MsReport *self);
gboolean ms_report_leaves_out(const MsReport *self, const MsReportRow *row);
gboolean ms_report_has_published(const MsReport *self);
const char *ms_report_energy_source(const MsReport *self);

char *ms_report_first_message(const MsReport *self);
guint ms_report_count(const MsReport *self, MsOutcome outcome);

/* A report as JSON, with everything to resume it or to compare with it, and as CSV. */
extern const MsRecord ms_report_record, ms_report_head_record;

char *ms_report_to_json(const MsReport *self);
JsonNode *ms_report_to_json_node(const MsReport *self);
MsReport *ms_report_from_node(JsonNode *node, GError **error);
MsReport *ms_report_load(const char *path, GError **error);
GPtrArray *ms_reports_load(const char *path, GError **error);
GPtrArray *ms_reports_load_named(const char *path, GError **error);
MsReport *ms_reports_find(GPtrArray *reports, const char *experiment);
char *ms_report_to_csv(const MsReport *self);

/* Writes a report as a table of text. */
char *ms_report_published_text(const MsReportRow *row);
GPtrArray *ms_report_table(const MsReport *self, MsLanguage language);
char *ms_report_device(const MsReport *self, MsLanguage language);
char *ms_report_heading(const MsReport *self, MsLanguage language);
char *ms_report_footer(const MsReport *self, MsLanguage language);
char *ms_report_to_text(const MsReport *self);
void ms_table_append_text(GString *text, GPtrArray *table, const GArray *report_columns);

/* Reports for LaTeX: a table of each, and a document of all with their charts. */
char *ms_latex_escape(const char *text);
char *ms_report_to_latex(const MsReport *self);
char *ms_reports_to_latex_document(GPtrArray *reports);

/* Makes the chart of a report. */
MsChart *ms_report_to_chart(const MsReport *self, MsLanguage language);

/* Saves the files of reports in a folder. */

/** MS_REPORT_LOG: the rows of all experiments of a folder, as they were measured, see #MsLabLog. */
#define MS_REPORT_LOG "measured.jsonl"

/** MS_REPORT_INDEX: the page over all reports of a folder. */
#define MS_REPORT_INDEX "index.html"

/** MS_REPORT_DOCUMENT: the same for pdflatex. */
#define MS_REPORT_DOCUMENT "report.tex"

gboolean ms_report_write_file(const MsAtomicPlace *place, const char *name, const void *data, gsize size,
                              GError **error);
void ms_report_add_paths(const char *name, const char *directory, GPtrArray *paths);
gboolean ms_report_save(const MsReport *self, const MsAtomicPlace *place, GError **error);
gboolean ms_report_save_index(GPtrArray *reports, const MsAtomicPlace *place, GError **error);

/* Reports of several devices side by side: the same rows, a column of times for each. */
char *ms_reports_merge_to_text(GPtrArray *reports);
GPtrArray *ms_reports_merge_names(GPtrArray *reports);
char *ms_reports_merge_devices(GPtrArray *reports, const char *experiment, MsLanguage language);
GPtrArray *ms_reports_merge_table(GPtrArray *reports, const char *experiment, MsLanguage language);
MsChart *ms_reports_merge_to_chart(GPtrArray *reports, const char *experiment, MsLanguage language);
gboolean ms_reports_merge_save(GPtrArray *reports, const MsAtomicPlace *place, GError **error);
