/* SPDX-License-Identifier: MIT */
#include "core/lab/measure/measurement.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <glib/gi18n-lib.h>

#include "core/error.h"
#include "core/json.h"
#include "core/opencl/timing.h"

static const char *const sources[] = {"not counted", "PTX", "machine code", "no objdump", "unknown form", NULL};

static gboolean
was_asked_for_instructions(gconstpointer note)
{
  return ((const MsKernelNote *)note)->counted_in != MS_INSTRUCTIONS_NOT_ASKED;
}

#define NOTE(member, form) MS_FIELD(MsKernelNote, member, form, #member)
#define COUNT(member, name) MS_FIELD(MsKernelNote, instructions.member, NUMBER, name, .has = was_asked_for_instructions)
static const MsField note_fields[] = {
  NOTE(name, TEXT),
  NOTE(group_size, NUMBER),
  NOTE(registers, NUMBER),
  NOTE(private_bytes, NUMBER),
  NOTE(local_bytes, NUMBER),
  NOTE(resident_groups, NUMBER),
  NOTE(occupancy, NUMBER),
  NOTE(limit, TEXT),
  MS_FIELD(MsKernelNote, counted_in, CHOICE, "counted_in", .names = sources, .has = was_asked_for_instructions),
  COUNT(total, "instructions"),
  COUNT(arithmetic, "arithmetic"),
  COUNT(packed, "packed"),
  COUNT(loads, "loads"),
  COUNT(stores, "stores"),
  COUNT(branches, "branches"),
  COUNT(other, "other"),
};
const MsRecord ms_kernel_note_record = MS_RECORD(note_fields);

/** ms_kernel_note_new: a note in which nothing is known but the name. */
MsKernelNote *
ms_kernel_note_new(const char *name)
{
  MsKernelNote *self = g_new0(MsKernelNote, 1);

  self->name = g_strdup(name);
  self->group_size = self->registers = self->private_bytes = self->local_bytes = NAN;
  self->resident_groups = self->occupancy = NAN;
  self->instructions = MS_INSTRUCTIONS_UNCOUNTED;
  return self;
}

static void
free_note(gpointer data)
{
  MsKernelNote *note = data;

  g_free(note->name);
  g_free(note->limit);
  g_free(note);
}

static void
free_stage(gpointer data)
{
  MsStageSeries *stage = data;

  g_array_unref(stage->ns);
  g_free(stage);
}

MsMeasurement *
ms_measurement_new(void)
{
  MsMeasurement *self = g_new0(MsMeasurement, 1);

  self->samples = g_array_new(FALSE, FALSE, sizeof(double));
  self->rounds = g_array_new(FALSE, FALSE, sizeof(guint));
  self->walls = g_array_new(FALSE, FALSE, sizeof(double));
  self->stages = g_ptr_array_new_with_free_func(free_stage);
  self->prepare_ns = self->at_s = NAN;
  self->first_ns = NAN;
  self->first_wall_ns = NAN;
  self->joules = self->watts = NAN;
  self->conditions.start = self->conditions.end = ms_device_state_unknown;
  self->conditions.load_before = self->conditions.foreign_load = NAN;
  self->kernels = g_ptr_array_new_with_free_func(free_note);
  return self;
}

/** ms_verification_clear: frees the texts; nothing is verified then. */
void
ms_verification_clear(MsVerification *self)
{
  g_free(self->against);
  g_free(self->result);
  g_free(self->expected);
  *self = (MsVerification){0};
}

void
ms_measurement_free(MsMeasurement *self)
{
  if (!self)
    return;
  g_array_unref(self->samples);
  g_array_unref(self->rounds);
  g_array_unref(self->walls);
  g_ptr_array_unref(self->stages);
  ms_verification_clear(&self->verification);
  g_free(self->message);
  g_free(self->shown);
  g_free(self->energy_source);
  g_free(self->conditions.source);
  g_free(self->conditions.throttling);
  g_ptr_array_unref(self->kernels);
  g_free(self);
}

/**
 * ms_measurement_fail:
 * @message: (nullable): the sentence that explains the outcome, in English
 * @shown: (nullable): the same in the user's language, where it is known
 */
void
ms_measurement_fail(MsMeasurement *self, MsOutcome outcome, const char *message, const char *shown)
{
  self->outcome = outcome;
  g_free(self->message);
  self->message = g_strdup(message);
  g_free(self->shown);
  self->shown = g_strdup(shown);
}

/* The outcome that an error of a measurement stands for. */
static MsOutcome
outcome_of_error(const GError *error)
{
  if (error->domain != MS_ERROR)
    return MS_OUTCOME_RUN;
  switch ((MsError)error->code) {
  case MS_ERROR_USAGE:
  case MS_ERROR_UNSUPPORTED:
  case MS_ERROR_TOO_LARGE:
    return MS_OUTCOME_CONSTRAINT;
  case MS_ERROR_BUILD:
    return MS_OUTCOME_BUILD;
  case MS_ERROR_MISMATCH:
    return MS_OUTCOME_WRONG;
  case MS_ERROR_TIMEOUT:
    return MS_OUTCOME_TIMEOUT;
  case MS_ERROR_FORMAT:
  case MS_ERROR_NO_DEVICE:
  case MS_ERROR_DEVICE:
  case MS_ERROR_MEMORY:
  case MS_ERROR_IO:
  case MS_ERROR_EXISTS:
    return MS_OUTCOME_RUN;
  }
  g_return_val_if_reached(MS_OUTCOME_RUN);
}

/** ms_measurement_fail_with: records the outcome of @error's code, and its sentence. */
void
ms_measurement_fail_with(MsMeasurement *self, const GError *error)
{
  g_autofree char *english = ms_error_dup_english(error);

  ms_measurement_fail(self, outcome_of_error(error), english, error->message);
}

/** ms_measurement_is_disturbed: whether it has a time, but the device was throttled or other programs ran. */
gboolean
ms_measurement_is_disturbed(const MsMeasurement *self)
{
  return self->outcome == MS_OUTCOME_OK && ms_conditions_are_disturbed(&self->conditions);
}

MsSummary
ms_measurement_summarise(const MsMeasurement *self)
{
  return ms_statistics_summarise_array(self->samples);
}

/**
 * ms_measurement_first_extra_ns: how much longer the first run took than the median of the later ones, in wall time,
 * because events do not cover what the runtime does between commands; NAN when either is unknown.
 */
double
ms_measurement_first_extra_ns(const MsMeasurement *self)
{
  return self->first_wall_ns - ms_statistics_quantile((const double *)self->walls->data, self->walls->len, 0.5);
}

/* The time of a kernel over all samples; 0 where it was not timed. */
static double
time_of_kernel(const MsMeasurement *self, const char *name)
{
  double total = 0;

  for (guint i = 0; i < self->stages->len; i++) {
    const MsStageSeries *series = self->stages->pdata[i];
    for (guint k = 0; strcmp(series->name, name) == 0 && k < series->ns->len; k++)
      total += g_array_index(series->ns, double, k);
  }
  return total;
}

/** ms_measurement_main_kernel: (nullable): the kernel that took the longest of those that the driver tells of. */
const MsKernelNote *
ms_measurement_main_kernel(const MsMeasurement *self)
{
  const MsKernelNote *main = NULL;
  double longest = -1;

  for (guint i = 0; i < self->kernels->len; i++) {
    const MsKernelNote *note = self->kernels->pdata[i];
    const double ns = time_of_kernel(self, note->name);
    if (ns > longest) {
      main = note;
      longest = ns;
    }
  }
  return main;
}

/** ms_measurement_stage: the series of @stage and @name, added if it does not exist. */
MsStageSeries *
ms_measurement_stage(MsMeasurement *self, const char *stage, const char *name)
{
  for (guint i = 0; i < self->stages->len; i++) {
    MsStageSeries *series = self->stages->pdata[i];
    if (strcmp(series->stage, stage) == 0 && strcmp(series->name, name) == 0)
      return series;
  }
  MsStageSeries *series = g_new0(MsStageSeries, 1);
  series->stage = g_intern_string(stage);
  series->name = g_intern_string(name);
  series->ns = g_array_new(FALSE, FALSE, sizeof(double));
  g_ptr_array_add(self->stages, series);
  return series;
}

/** ms_clock_now_ns: nanoseconds of the monotonic clock, for times too short for g_get_monotonic_time(). */
guint64
ms_clock_now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (guint64)now.tv_sec * G_GUINT64_CONSTANT(1000000000) + (guint64)now.tv_nsec;
}

/** ms_sample_add_event: adds one timed command; its stage names it where it has no name. */
void
ms_sample_add_event(MsSample *sample, const MsLabEvent *event)
{
  MsLabEvent own = *event;

  own.stage = g_intern_string(event->stage);
  own.name = g_intern_string(event->name ? event->name : event->stage);
  g_array_append_val(sample->events, own);
}

/** ms_sample_settle: sums the headline events; %FALSE when the time of one is unknown and the clock gave none. */
gboolean
ms_sample_settle(MsSample *sample)
{
  double total = 0;

  for (guint i = 0; i < sample->events->len; i++) {
    const MsLabEvent *event = &g_array_index(sample->events, MsLabEvent, i);
    if (sample->ns < 0 && event->headline && !ms_duration_is_known(event->started_ns, event->ended_ns))
      return FALSE;
    if (event->headline)
      total += (double)(event->ended_ns - event->started_ns);
  }
  if (sample->ns < 0)
    sample->ns = total;
  return isfinite(sample->ns);
}

static void
add_stage_time(MsStageSeries *series, const MsLabEvent *event, guint sample_index)
{
  const gboolean known = ms_duration_is_known(event->started_ns, event->ended_ns);
  double ns = known ? (double)(event->ended_ns - event->started_ns) : NAN;

  series->headline = event->headline;
  if (series->ns->len > sample_index) { /* the command ran before in this run: add its time and bytes */
    g_array_index(series->ns, double, sample_index) += ns;
    if (sample_index == 0)
      series->bytes += event->bytes;
    return;
  }
  double zero = 0;
  while (series->ns->len < sample_index)
    g_array_append_val(series->ns, zero);
  g_array_append_val(series->ns, ns);
  if (sample_index == 0)
    series->bytes = event->bytes;
}

/** ms_measurement_keep: adds the times of a settled sample and of its commands, taken in round @round. */
void
ms_measurement_keep(MsMeasurement *self, const MsSample *sample, double wall_ns, guint round)
{
  guint index = self->samples->len;

  for (guint i = 0; i < sample->events->len; i++) {
    const MsLabEvent *event = &g_array_index(sample->events, MsLabEvent, i);
    add_stage_time(ms_measurement_stage(self, event->stage, event->name), event, index);
  }
  g_array_append_val(self->samples, sample->ns);
  g_array_append_val(self->walls, wall_ns);
  g_array_append_val(self->rounds, round);
}

/** ms_measurement_times: the samples with their rounds, valid until the next sample; none without known rounds. */
MsTimes
ms_measurement_times(const MsMeasurement *self)
{
  guint n = self->rounds->len == self->samples->len ? self->samples->len : 0;

  return (MsTimes){(const double *)self->samples->data, (const guint *)self->rounds->data, n};
}

/* How a measurement ended */

const char *const ms_outcome_names[] = {
  [MS_OUTCOME_PENDING] = N_("pending"),
  [MS_OUTCOME_OK] = N_("ok"),
  [MS_OUTCOME_CONSTRAINT] = N_("constraint"),
  [MS_OUTCOME_BUILD] = N_("build"),
  [MS_OUTCOME_RUN] = N_("run"),
  [MS_OUTCOME_WRONG] = N_("wrong-result"),
  [MS_OUTCOME_TIMEOUT] = N_("time-out"),
  NULL,
};

/* As JSON */

#define STAGE(member, form, name) MS_FIELD(MsStageSeries, member, form, name)
static const MsField stage_fields[] = {
  STAGE(stage, WORD, "stage"),          STAGE(name, WORD, "name"),        STAGE(bytes, COUNT, "bytes"),
  STAGE(headline, BOOLEAN, "headline"), STAGE(ns, NUMBERS, "samples_ns"),
};
static const MsRecord stage_record = MS_RECORD(stage_fields);

static gpointer
make_stage(gpointer measurement, JsonObject *object)
{
  const char *stage = ms_json_get_text(object, "stage"), *name = ms_json_get_text(object, "name");

  return stage && name ? ms_measurement_stage(measurement, stage, name) : NULL;
}

static gboolean
is_verified(gconstpointer verification)
{
  return ((const MsVerification *)verification)->done;
}

static gboolean
has_result(gconstpointer verification)
{
  return ((const MsVerification *)verification)->result != NULL;
}

#define VERIFICATION(member, form, ...) MS_FIELD(MsVerification, member, form, __VA_ARGS__)
static const MsField verification_fields[] = {
  VERIFICATION(total, COUNT, "total"),
  VERIFICATION(mismatches, COUNT, "mismatches"),
  VERIFICATION(max_difference, NUMBER, "max_difference"),
  VERIFICATION(against, TEXT, "against"),
  VERIFICATION(result, TEXT, "result", .has = has_result),
  VERIFICATION(expected, TEXT, "expected", .has = has_result),
  VERIFICATION(reference_ns, NUMBER, "reference_ns", .has = has_result),
};
static const MsRecord verification_record = MS_RECORD(verification_fields, is_verified);

#define WORK(member) MS_FIELD(MsWork, member, NUMBER, #member)
static const MsField work_fields[] = {
  WORK(pixels),   WORK(window_samples), WORK(elements),     WORK(bytes),
  WORK(accesses), WORK(uncoalesced),    WORK(local_cycles), WORK(bank_conflicts),
};
static const MsRecord work_record = MS_RECORD(work_fields);

static void
add_rounds(const MsField *field, gconstpointer member, JsonBuilder *builder)
{
  const GArray *rounds = *(GArray *const *)member;

  ms_json_begin_array(builder, field->name);
  for (guint i = 0; i < rounds->len; i++)
    json_builder_add_int_value(builder, g_array_index(rounds, guint, i));
  json_builder_end_array(builder);
}

/* Rounds must ascend; the array stays empty when they do not, so that nothing is compared by them. */
static void
get_rounds(const MsField *field, gpointer member, JsonObject *object)
{
  GArray *into = *(GArray **)member;
  JsonArray *array = ms_json_get_array(object, "rounds");
  gint64 last = -1;

  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    gint64 value = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_int(node) : -1;
    guint round = (guint)value;
    if (value <= last || value > G_MAXINT32) {
      g_array_set_size(into, 0);
      return;
    }
    g_array_append_val(into, round);
    last = value;
  }
}

#define STATE(member) MS_FIELD(MsDeviceState, member, NUMBER, #member)
static const MsField state_fields[] = {
  STATE(clock_mhz),
  STATE(memory_clock_mhz),
  STATE(temperature_c),
  STATE(power_w),
};
static const MsRecord state_record = MS_RECORD(state_fields);

#define CONDITION(member, form, ...) MS_FIELD(MsConditions, member, form, __VA_ARGS__)
static const MsField conditions_fields[] = {
  CONDITION(source, TEXT, "source"),
  CONDITION(start, RECORD, "start", .record = &state_record),
  CONDITION(end, RECORD, "end", .record = &state_record),
  CONDITION(throttling, TEXT, "throttling"),
  CONDITION(load_before, NUMBER, "load_before"),
  CONDITION(repeated, COUNT, "measured_again"),
};
static const MsRecord conditions_record = MS_RECORD(conditions_fields);

static gpointer
make_kernel(gpointer measurement, JsonObject *object)
{
  MsKernelNote *note = ms_kernel_note_new(NULL);

  g_ptr_array_add(((MsMeasurement *)measurement)->kernels, note);
  return note;
}

static gboolean
has_kernels(gconstpointer measurement)
{
  return ((const MsMeasurement *)measurement)->kernels->len > 0;
}

static gboolean
has_moment(gconstpointer measurement)
{
  return isfinite(((const MsMeasurement *)measurement)->at_s);
}

#define MEASURED(member, form, ...) MS_FIELD(MsMeasurement, member, form, __VA_ARGS__)
static const MsField measurement_fields[] = {
  MEASURED(outcome, CHOICE, "outcome", .names = ms_outcome_names),
  MEASURED(message, TEXT, "message"),
  MEASURED(samples, NUMBERS, "samples_ns"),
  MEASURED(rounds, OWN, "rounds", .add = add_rounds, .get = get_rounds),
  MEASURED(walls, NUMBERS, "walls_ns"),
  MEASURED(first_ns, NUMBER, "first_ns"),
  MEASURED(first_wall_ns, NUMBER, "first_wall_ns"),
  MEASURED(prepare_ns, NUMBER, "prepare_ns"),
  MEASURED(at_s, NUMBER, "at_s", .has = has_moment),
  MEASURED(rejected, COUNT, "rejected"),
  MEASURED(stages, RECORDS, "stages", .record = &stage_record, .make = make_stage),
  MEASURED(kernels, RECORDS, "kernels", .record = &ms_kernel_note_record, .make = make_kernel, .has = has_kernels),
  MEASURED(verification, RECORD, "verification", .record = &verification_record),
  MEASURED(work, RECORD, "work", .record = &work_record),
  MEASURED(joules, NUMBER, "joules"),
  MEASURED(watts, NUMBER, "watts"),
  MEASURED(energy_source, TEXT, "energy_source"),
  MEASURED(conditions.foreign_load, NUMBER, "foreign_load"),
  MEASURED(conditions, RECORD, "conditions", .record = &conditions_record),
};

/** ms_measurement_record: its members in reports and in the log; @shown is in neither. */
const MsRecord ms_measurement_record = MS_RECORD(measurement_fields);
