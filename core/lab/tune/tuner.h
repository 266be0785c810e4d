/* SPDX-License-Identifier: MIT */
/* The tuner: searches a space of factors for the fastest configuration within a time budget; failures are recorded. */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "core/factors.h"
#include "core/outcome.h"

G_BEGIN_DECLS

typedef enum {
  MS_TUNE_AUTO,
  MS_TUNE_EXHAUSTIVE,
  MS_TUNE_RANDOM,
  MS_TUNE_GREEDY,
} MsTuneStrategy;

/** ms_tune_strategy_names: %NULL-terminated, in the order of MsTuneStrategy. */
extern const char *const ms_tune_strategy_names[];

const char *ms_tune_strategy_to_string(MsTuneStrategy strategy);
gboolean ms_tune_strategy_parse(const char *text, MsTuneStrategy *strategy, GError **error);

/**
 * MsTuneConstraint: returns (transfer full) (nullable): the reason why @factors cannot run, found without building
 * anything.
 */
typedef char *(*MsTuneConstraint)(const MsFactors *factors, gpointer data);

/**
 * MsTuneEvaluate: measures and verifies one configuration.
 * @ns: (out): the median
 * @cancellable: cancelled by the caller or when the time for one configuration is over; the function must then return
 * @error: its code decides the outcome, see ms_outcome_from_error()
 */
typedef gboolean (*MsTuneEvaluate)(const MsFactors *factors, double *ns, GCancellable *cancellable, gpointer data,
                                   GError **error);

/** MsTuneDimension: one key and the values it may take, in an order in which neighbours have similar times. */
typedef struct {
  char *key;
  char **values;
} MsTuneDimension;

typedef struct _MsTuneSpace MsTuneSpace;

MsTuneSpace *ms_tune_space_new(MsTuneConstraint constraint, MsTuneEvaluate evaluate, gpointer data);
void ms_tune_space_free(MsTuneSpace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsTuneSpace, ms_tune_space_free)
void ms_tune_space_add(MsTuneSpace *self, const char *key, const char *const *values);
guint64 ms_tune_space_size(const MsTuneSpace *self);

/** MsTrial: one configuration of the search; @ns is NAN unless @outcome is MS_OUTCOME_OK. */
typedef struct {
  MsFactors *factors;
  MsOutcome outcome;
  double ns;
  char *message;
} MsTrial;

/** MsTuneRecord: a search so far; what it holds is not evaluated again. @best: index of the fastest trial, or -1. */
typedef struct {
  char *device;
  char *driver;
  char *problem;
  char *version;
  char *date;
  MsTuneStrategy strategy;
  guint32 seed;
  guint64 space_size;
  gboolean complete;
  GPtrArray *trials;
  int best;
} MsTuneRecord;

MsTuneRecord *ms_tune_record_new(const char *device, const char *driver, const char *problem);
void ms_tune_record_free(MsTuneRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsTuneRecord, ms_tune_record_free)
const MsTrial *ms_tune_record_best(const MsTuneRecord *self);
const MsTrial *ms_tune_record_find(const MsTuneRecord *self, const MsFactors *factors);
guint ms_tune_record_count(const MsTuneRecord *self, MsOutcome outcome);
gboolean ms_tune_record_check(const MsTuneRecord *self, GError **error);
char *ms_tune_record_to_text(const MsTuneRecord *self);
JsonNode *ms_tune_record_to_json_node(const MsTuneRecord *self);
MsTuneRecord *ms_tune_record_from_json_node(JsonNode *node, GError **error);

/**
 * MsTuneOptions:
 * @strategy: MS_TUNE_AUTO is exhaustive for small spaces and greedy for large ones
 * @budget_s: seconds for the whole search
 * @trial_timeout_s: seconds for one configuration
 * @start: (nullable): where the greedy search begins
 */
typedef struct {
  MsTuneStrategy strategy;
  double budget_s;
  double trial_timeout_s;
  guint32 seed;
  const MsFactors *start;
} MsTuneOptions;

/** MsTuneProgress: called after every trial, in the thread that searches. */
typedef void (*MsTuneProgress)(const MsTuneRecord *record, const MsTrial *trial, double fraction, gpointer data);

gboolean ms_tune_search(MsTuneSpace *space, MsTuneRecord *record, const MsTuneOptions *options, MsTuneProgress progress,
                        gpointer data, GCancellable *cancellable, GError **error);

G_END_DECLS
