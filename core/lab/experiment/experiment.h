/* SPDX-License-Identifier: MIT */
/*
 * MsExperiment: one experiment as data: its axes, fixed factors, plot and published values. Each is a file of
 * data/experiments/.
 */
#pragma once

#include <gio/gio.h>

#include "core/factors.h"
#include "core/language.h"

/**
 * MsAxis: one factor that varies.
 * @key: a factor that the experiment's kind knows ("unroll", "size", "type", …)
 * @values: at the published scale
 * @quick: with --quick; the same as @values unless the file says otherwise
 */
typedef struct {
  char *key;
  char **values;
  char **quick;
} MsAxis;

/**
 * MsCase: a named set of factors, where several vary together. @quick: whether it takes part with --quick.
 */
typedef struct {
  char *name;
  MsFactors *factors;
  gboolean quick;
} MsCase;

/**
 * MsPublished: one published value; it belongs to every configuration that contains @where. @low == @high unless it is
 * a range.
 */
typedef struct {
  char *device;
  char *source;
  char *metric;
  char *unit;
  MsFactors *where;
  double low;
  double high;
} MsPublished;

typedef enum {
  MS_EXPECT_FASTER,
  MS_EXPECT_SLOWER,
  MS_EXPECT_MORE,
  MS_EXPECT_LESS,
  MS_EXPECT_EQUAL,
} MsExpectRelation;

/**
 * MsExpect: a rule that says what the study found, in a form that can be measured.
 * @claim: the finding, in a few words
 * @where: the configurations that it speaks of
 * @over: (nullable): what they are compared with: the settings in which those differ; %NULL for a value by itself
 * @metric: "time", "power", …
 * @low: the study's ratio, or the value that is exceeded; NAN without a number; @high: the end of a range, else @low
 */
typedef struct {
  char *claim;
  MsFactors *where;
  MsFactors *over;
  MsExpectRelation relation;
  char *metric;
  double low;
  double high;
} MsExpect;

typedef enum {
  MS_PLOT_BARS,
  MS_PLOT_LINES,
  MS_PLOT_STACKED,
} MsPlotType;

/**
 * MsPlot: which factors become the x axis and the series, and which metric the y axis shows ("time", "gb-per-s",
 * "speed-up", "energy", …). @y2: (nullable): a further metric, drawn in a panel below.
 */
typedef struct {
  MsPlotType type;
  char *x;
  char *x_title;
  char *series;
  char *y;
  char *y2;
  gboolean log_x;
  gboolean log_y;
} MsPlot;

/**
 * MsColumns: the optional columns of a report.
 * @MS_COLUMNS_OCCUPANCY: registers, private and local memory of a kernel, and how many work-groups are resident at once
 * @MS_COLUMNS_INSTRUCTIONS: the instructions of a kernel by class
 * @MS_COLUMNS_ALL: both, as bits
 */
typedef enum {
  MS_COLUMNS_NONE,
  MS_COLUMNS_OCCUPANCY,
  MS_COLUMNS_INSTRUCTIONS,
  MS_COLUMNS_ALL,
} MsColumns;

/** ms_columns_names: %NULL-terminated: as files and the command line spell them. */
extern const char *const ms_columns_names[];

/**
 * MsExperiment: read-only once loaded; reference counted.
 * @name: the file's name without its ending
 * @kind: the MsLabKind that runs it, by name
 * @study: short name of the study (see data/experiments/README.md) or empty
 * @finding: the study's result, in a sentence
 * @lesson: for a student: what varies, why it should matter, what was seen, what to look for
 * @expects: (element-type MsExpect): the rules for the verdict of a report
 * @columns: the optional columns of its reports
 * @baseline: (nullable): factors of the configuration that others are compared with; %NULL for the first
 */
typedef struct {
  char *name;
  char *title;
  char *kind;
  char *study;
  char *section;
  char *description;
  char *finding;
  char *lesson;
  MsColumns columns;
  GPtrArray *axes;
  GPtrArray *cases;
  MsFactors *fixed;
  MsFactors *quick_fixed;
  MsFactors *baseline;
  MsPlot plot;
  GPtrArray *published;
  GPtrArray *expects;
} MsExperiment;

/** MS_EXPERIMENT_TEXT_DOMAIN: the text domain of titles, descriptions and findings. */
#define MS_EXPERIMENT_TEXT_DOMAIN "meanshift-lab-experiments"

MsExperiment *ms_experiment_new(const char *name, const char *title, const char *kind);
MsExperiment *ms_experiment_ref(MsExperiment *self);
void ms_experiment_unref(MsExperiment *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsExperiment, ms_experiment_unref)

void ms_published_free(MsPublished *self);

void ms_experiment_add_axis(MsExperiment *self, const char *key, const char *const *values, const char *const *quick);
MsCase *ms_experiment_add_case(MsExperiment *self, const char *name, const MsFactors *factors);
void ms_experiment_set_baseline(MsExperiment *self, const MsFactors *baseline);

guint64 ms_experiment_count(const MsExperiment *self, gboolean quick);
GPtrArray *ms_experiment_expand(const MsExperiment *self, gboolean quick);
GPtrArray *ms_experiment_find_published(const MsExperiment *self, const MsFactors *factors, gboolean quick);
MsFactors *ms_experiment_published_scale(const MsExperiment *self, const MsFactors *factors, gboolean quick);
char *ms_experiment_case_title(const char *name);
const char *ms_experiment_text(const char *text, MsLanguage language);
char *ms_experiment_label(const MsExperiment *self, const MsFactors *factors);
const MsAxis *ms_experiment_find_axis(const MsExperiment *self, const char *key);
char *ms_experiment_describe_axes(const MsExperiment *self, gboolean quick);
