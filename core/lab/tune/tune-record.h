/* SPDX-License-Identifier: MIT */
/* MsTuneRecord: the trials of a search for the fastest configuration, as text and as JSON. */
#pragma once

#include <json-glib/json-glib.h>

#include "core/engine/tuned.h"
#include "core/factors.h"
#include "core/lab/measure/measurement.h"

/**
 * MsTrial: one configuration of the search.
 * @ns: NAN unless @outcome is MS_OUTCOME_OK
 * @at_s: seconds of the search, over all its continuations, after which it was known
 * @message: (nullable): why it failed, in English
 * @shown: (nullable): the same in the user's language; %NULL in a record that was read
 */
typedef struct {
  MsFactors *factors;
  MsOutcome outcome;
  double ns;
  double at_s;
  char *message;
  char *shown;
} MsTrial;

/**
 * MsTuneRecord: a search so far; what it holds is not evaluated again.
 * @measured: (nullable): what all trials have in common: the parameters, and the size of the picture or array
 * @elapsed_s: seconds that the search has taken so far, over all its continuations
 * @best: index of the fastest trial, or -1
 */
typedef struct {
  char *device;
  char *driver;
  char *problem;
  MsFactors *measured;
  char *version;
  char *date;
  guint32 seed;
  guint64 space_size;
  gboolean complete;
  double elapsed_s;
  GPtrArray *trials;
  int best;
} MsTuneRecord;

MsTuneRecord *ms_tune_record_new(const char *device, const char *driver, const char *problem);
void ms_tune_record_free(MsTuneRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsTuneRecord, ms_tune_record_free)
MsTrial *ms_tune_record_add(MsTuneRecord *self, const MsFactors *factors, const MsMeasurement *measured);
void ms_tune_record_fail(MsTuneRecord *self, const MsFactors *factors, const MsMeasurement *measured);
const MsTrial *ms_tune_record_best(const MsTuneRecord *self);
const MsTrial *ms_tune_record_find(const MsTuneRecord *self, const MsFactors *factors);
GPtrArray *ms_tune_record_rank(const MsTuneRecord *self);
guint ms_tune_record_count(const MsTuneRecord *self, MsOutcome outcome);
gboolean ms_tune_record_check(const MsTuneRecord *self, GError **error);
char *ms_tune_record_to_text(const MsTuneRecord *self);
JsonNode *ms_tune_record_to_json_node(const MsTuneRecord *self);
MsTuneRecord *ms_tune_record_from_json_node(JsonNode *node, GError **error);

/* The store of searches: the whole record of a search beside its winner, so that a later search can continue it. */
char *ms_tune_store_path(const char *directory, const MsWinnerKey *key);
MsTuneRecord *ms_tune_store_load(const char *directory, const MsWinnerKey *key, GError **error);
gboolean ms_tune_store_save(const char *directory, const MsTuneRecord *record, GError **error);
