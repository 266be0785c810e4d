/* SPDX-License-Identifier: MIT */
/* A search as a record: its trials, its best, as text and as JSON. */
#include "core/lab/tune/tune-record.h"

#include <inttypes.h>
#include <math.h>

#include "core/error.h"
#include "core/factors.h"
#include "core/folder.h"
#include "core/image/file/atomic-file.h"
#include "core/json.h"
#include "core/record/record.h"
#include "core/text.h"

#define FORMAT_NAME "meanshift-lab tuning"
#define MOST_BYTES (64 << 20)

static void
trial_free(MsTrial *self)
{
  ms_factors_free(self->factors);
  g_free(self->message);
  g_free(self->shown);
  g_free(self);
}

static char *
date_now(void)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();

  return g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
}

/**
 * ms_tune_record_new:
 * @device: name of the device
 * @driver: its driver's version, since another driver may prefer other settings
 * @problem: class of the problem, see ms_problem_class_filter()
 */
MsTuneRecord *
ms_tune_record_new(const char *device, const char *driver, const char *problem)
{
  MsTuneRecord *self = g_new0(MsTuneRecord, 1);

  self->device = g_strdup(device);
  self->driver = g_strdup(driver);
  self->problem = g_strdup(problem);
  self->date = date_now();
  self->trials = g_ptr_array_new_with_free_func((GDestroyNotify)trial_free);
  self->best = -1;
  return self;
}

void
ms_tune_record_free(MsTuneRecord *self)
{
  if (!self)
    return;
  g_free(self->device);
  g_free(self->driver);
  g_free(self->problem);
  g_clear_pointer(&self->measured, ms_factors_free);
  g_free(self->version);
  g_free(self->date);
  g_ptr_array_unref(self->trials);
  g_free(self);
}

static void
find_best(MsTuneRecord *self)
{
  self->best = -1;
  for (guint i = 0; i < self->trials->len; i++) {
    const MsTrial *trial = self->trials->pdata[i], *best = ms_tune_record_best(self);
    if (trial->outcome == MS_OUTCOME_OK && (!best || trial->ns < best->ns))
      self->best = (int)i;
  }
}

/**
 * ms_tune_record_add:
 * @measured: the time of the configuration, or why it failed
 *
 * Returns: (transfer none): the new trial
 */
MsTrial *
ms_tune_record_add(MsTuneRecord *self, const MsFactors *factors, const MsMeasurement *measured)
{
  MsTrial *trial = g_new0(MsTrial, 1);
  const MsTrial *best = ms_tune_record_best(self);
  const gboolean good = measured->outcome == MS_OUTCOME_OK;

  trial->factors = ms_factors_copy(factors);
  trial->outcome = measured->outcome;
  trial->ns = good ? ms_measurement_summarise(measured).median : NAN;
  trial->at_s = self->elapsed_s;
  trial->message = g_strdup(measured->message);
  trial->shown = g_strdup(measured->shown);
  g_ptr_array_add(self->trials, trial);
  if (good && (!best || trial->ns < best->ns))
    self->best = (int)self->trials->len - 1;
  return trial;
}

/** ms_tune_record_fail: adds a trial that failed, in place of one that succeeded with the same settings. */
void
ms_tune_record_fail(MsTuneRecord *self, const MsFactors *factors, const MsMeasurement *measured)
{
  for (guint i = self->trials->len; i-- > 0;)
    if (ms_factors_equal(((const MsTrial *)self->trials->pdata[i])->factors, factors))
      g_ptr_array_remove_index(self->trials, i);
  ms_tune_record_add(self, factors, measured);
  find_best(self);
}

/** ms_tune_record_best: (transfer none) (nullable): the fastest verified trial. */
const MsTrial *
ms_tune_record_best(const MsTuneRecord *self)
{
  return self->best >= 0 ? self->trials->pdata[self->best] : NULL;
}

/** ms_tune_record_find: (transfer none) (nullable): the trial of exactly these settings. */
const MsTrial *
ms_tune_record_find(const MsTuneRecord *self, const MsFactors *factors)
{
  for (guint i = 0; i < self->trials->len; i++) {
    const MsTrial *trial = self->trials->pdata[i];
    if (ms_factors_equal(trial->factors, factors))
      return trial;
  }
  return NULL;
}

guint
ms_tune_record_count(const MsTuneRecord *self, MsOutcome outcome)
{
  guint n = 0;

  for (guint i = 0; i < self->trials->len; i++)
    n += ((MsTrial *)self->trials->pdata[i])->outcome == outcome;
  return n;
}

static int
compare_trials(gconstpointer a, gconstpointer b)
{
  const MsTrial *x = *(const MsTrial *const *)a, *y = *(const MsTrial *const *)b;
  gboolean timed_x = x->outcome == MS_OUTCOME_OK, timed_y = y->outcome == MS_OUTCOME_OK;

  if (timed_x != timed_y)
    return timed_x ? -1 : 1;
  return timed_x ? (x->ns > y->ns) - (x->ns < y->ns) : 0;
}

/** ms_tune_record_rank: (transfer container) (element-type MsTrial): verified trials, fastest first, then others. */
GPtrArray *
ms_tune_record_rank(const MsTuneRecord *self)
{
  GPtrArray *trials = g_ptr_array_copy(self->trials, NULL, NULL);

  g_ptr_array_set_free_func(trials, NULL);
  g_ptr_array_sort(trials, compare_trials);
  return trials;
}

static void
append_ranking(GString *text, const MsTuneRecord *self, guint most)
{
  g_autoptr(GPtrArray) trials = ms_tune_record_rank(self);

  for (guint i = 0; i < MIN(trials->len, most); i++) {
    const MsTrial *trial = trials->pdata[i];
    if (trial->outcome != MS_OUTCOME_OK)
      return;
    g_autofree char *factors = ms_factors_to_string(trial->factors);
    g_autofree char *ms = ms_number_text(trial->ns * 1e-6);
    g_string_append_printf(text, "%12s ms  %s\n", ms, factors);
  }
}

/**
 * ms_tune_record_check:
 *
 * Returns: %FALSE with #MS_ERROR_TIMEOUT or #MS_ERROR_DEVICE and what to do where the search has no winner
 */
gboolean
ms_tune_record_check(const MsTuneRecord *self, GError **error)
{
  if (ms_tune_record_best(self))
    return TRUE;
  if (self->trials->len == 0) {
    ms_set_error(error, MS_ERROR_TIMEOUT,
                 "The budget was spent before any of the %" PRIu64 " configurations was measured; increase it, "
                 "as in --budget 5m.",
                 self->space_size);
    return FALSE;
  }
  const MsTrial *first = g_ptr_array_index(self->trials, 0);
  ms_set_error(
    error, MS_ERROR_DEVICE,
    "None of the %u configurations that were tried succeeded; fix fewer settings or increase --budget. The first "
    "failed: %s",
    self->trials->len, first->message ? first->message : ms_outcome_names[first->outcome]);
  return FALSE;
}

/**
 * ms_tune_record_to_text: (transfer full): the problem, the ten fastest trials, and the number of failures by class.
 */
char *
ms_tune_record_to_text(const MsTuneRecord *self)
{
  g_autoptr(GString) text = g_string_new(NULL);

  g_string_append_printf(text, "Tuning for %s (driver %s), %s: %u of %" G_GUINT64_FORMAT " configurations tried%s\n",
                         self->device, self->driver, self->problem, self->trials->len, self->space_size,
                         self->complete ? "" : ", unfinished");
  append_ranking(text, self, 10);
  for (MsOutcome outcome = MS_OUTCOME_CONSTRAINT; outcome <= MS_OUTCOME_TIMEOUT; outcome++)
    if (ms_tune_record_count(self, outcome) > 0)
      g_string_append_printf(text, "%12u failed: %s\n", ms_tune_record_count(self, outcome), ms_outcome_names[outcome]);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static const MsField trial_fields[] = {
  MS_FIELD(MsTrial, factors, FACTORS, "settings"),
  MS_FIELD(MsTrial, outcome, CHOICE, "outcome", .names = ms_outcome_names),
  MS_FIELD(MsTrial, ns, NUMBER, "ns"),
  MS_FIELD(MsTrial, at_s, NUMBER, "at_s"),
  MS_FIELD(MsTrial, message, TEXT, "message"),
};
static const MsRecord trial_record = MS_RECORD(trial_fields);

static gpointer
make_trial(gpointer record, JsonObject *object)
{
  MsFactors *factors = ms_json_get_factors(object, "settings");
  MsTrial *trial = factors ? g_new0(MsTrial, 1) : NULL;

  if (!trial)
    return NULL;
  trial->factors = factors;
  g_ptr_array_add(((MsTuneRecord *)record)->trials, trial);
  return trial;
}

static void
add_winner(const MsField *field, gconstpointer record, JsonBuilder *builder)
{
  const MsTrial *best = ms_tune_record_best(record);

  ms_json_add_factors(builder, field->name, best ? best->factors : NULL);
}

/* The winner of the final is not always the trial with the smallest time, see ms_lab_tune(). */
static void
get_winner(MsTuneRecord *self, JsonObject *object)
{
  g_autoptr(MsFactors) winner = ms_json_get_factors(object, "winner");

  for (guint i = 0; winner && i < self->trials->len; i++) {
    const MsTrial *trial = self->trials->pdata[i];
    if (trial->outcome == MS_OUTCOME_OK && ms_factors_equal(trial->factors, winner))
      self->best = (int)i;
  }
}

static double
winner_ns(gconstpointer record, const MsField *field)
{
  const MsTrial *best = ms_tune_record_best(record);

  return best ? best->ns : NAN;
}

#define RECORD(member, form, ...) MS_FIELD(MsTuneRecord, member, form, __VA_ARGS__)
static const MsField record_fields[] = {
  RECORD(device, TEXT, "device"),
  RECORD(driver, TEXT, "driver"),
  RECORD(problem, TEXT, "problem"),
  RECORD(measured, FACTORS, "measured"),
  RECORD(version, TEXT, "version"),
  RECORD(date, TEXT, "date"),
  RECORD(seed, AMOUNT, "seed"),
  RECORD(space_size, AMOUNT, "space_size"),
  RECORD(complete, BOOLEAN, "complete"),
  RECORD(elapsed_s, NUMBER, "elapsed_s"),
  MS_FIELD_OF(OWN, "winner", .add = add_winner),
  MS_FIELD_OF(COMPUTED, "winner_ns", .number = winner_ns),
  RECORD(trials, RECORDS, "trials", .record = &trial_record, .make = make_trial),
};
static const MsRecord tune_record = MS_RECORD(record_fields);

/** ms_tune_record_to_json_node: (transfer full): everything, the winner first. */
JsonNode *
ms_tune_record_to_json_node(const MsTuneRecord *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();

  json_builder_begin_object(builder);
  ms_json_add_text(builder, "format", FORMAT_NAME);
  ms_record_add_members(&tune_record, self, builder);
  json_builder_end_object(builder);
  return json_builder_get_root(builder);
}

/* A time that cannot be is a failure. */
static void
check_trial(MsTrial *trial)
{
  if (!(trial->at_s >= 0))
    trial->at_s = 0;
  if (trial->outcome == MS_OUTCOME_OK && !(trial->ns > 0))
    trial->outcome = MS_OUTCOME_RUN;
  if (trial->outcome != MS_OUTCOME_OK)
    trial->ns = NAN;
}

/** ms_tune_record_from_json_node: (transfer full): the reverse of ms_tune_record_to_json_node(). */
MsTuneRecord *
ms_tune_record_from_json_node(JsonNode *node, GError **error)
{
  JsonObject *object = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;

  if (!object || !ms_json_get_array(object, "trials") ||
      g_strcmp0(ms_json_get_text(object, "format"), FORMAT_NAME) != 0) {
    ms_set_error_literal(error, MS_ERROR_FORMAT, "This is not a record of tuning.");
    return NULL;
  }
  MsTuneRecord *self = ms_tune_record_new(NULL, NULL, NULL);
  ms_record_get(&tune_record, self, object);
  if (!(self->elapsed_s >= 0))
    self->elapsed_s = 0;
  for (guint i = 0; i < self->trials->len; i++)
    check_trial(self->trials->pdata[i]);
  find_best(self);
  get_winner(self, object);
  return self;
}

/* The store of searches: the whole record of a search beside its winner, so that a later one can continue it */

/** ms_tune_store_path: (transfer full): the file of the search for @key in @directory (%NULL: the user's folder). */
char *
ms_tune_store_path(const char *directory, const MsWinnerKey *key)
{
  return ms_winner_store_path(directory, key, ".json");
}

/**
 * ms_tune_store_load:
 *
 * Returns: (transfer full): the record of exactly this key; %NULL without @error when there is none, with @error when
 *   there is one that cannot be read
 */
MsTuneRecord *
ms_tune_store_load(const char *directory, const MsWinnerKey *key, GError **error)
{
  g_autofree char *path = ms_tune_store_path(directory, key);
  gsize length = 0;

  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return NULL;
  g_autofree char *text = ms_file_text_load(path, MOST_BYTES, &length, error);
  g_autoptr(JsonNode) root = text ? ms_json_parse(text, (gssize)length, error) : NULL;
  if (!root) {
    ms_prefix_error(error, "The tuning record '%s' is damaged: ", path);
    return NULL;
  }
  g_autoptr(MsTuneRecord) record = ms_tune_record_from_json_node(root, error);
  if (!record) {
    g_prefix_error(error, "%s: ", path);
    return NULL;
  }
  const gboolean is_of_key = g_strcmp0(record->device, key->device) == 0 &&
                             g_strcmp0(record->driver, key->driver) == 0 &&
                             g_strcmp0(record->problem, key->problem) == 0;
  return is_of_key ? g_steal_pointer(&record) : NULL;
}

/** ms_tune_store_save: writes the record and its winner; each file is replaced only by a complete one. */
gboolean
ms_tune_store_save(const char *directory, const MsTuneRecord *record, GError **error)
{
  MsWinnerKey key = {record->device, record->driver, record->problem};
  const MsTrial *best = ms_tune_record_best(record);
  g_autofree char *path = ms_tune_store_path(directory, &key);
  g_autoptr(JsonNode) node = ms_tune_record_to_json_node(record);
  g_autofree char *text = json_to_string(node, TRUE);

  return ms_folder_make_parent(path, MS_FOLDER_PRIVATE, error) && ms_atomic_file_save_own(path, text, error) &&
         ms_winner_store_save(directory, &key, record->version, best ? best->factors : NULL, error);
}
