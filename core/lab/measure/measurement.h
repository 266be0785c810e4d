/* SPDX-License-Identifier: MIT */
/* MsMeasurement: everything known of one configuration: samples, times of its commands, verification, energy. */
#pragma once

#include "core/lab/measure/conditions.h"
#include "core/lab/measure/instructions.h"
#include "core/lab/measure/statistics.h"
#include "core/record/record.h"

/**
 * MsOutcome:
 * @MS_OUTCOME_PENDING: not finished: it has not been run, or the run was interrupted
 * @MS_OUTCOME_OK: measured and verified
 * @MS_OUTCOME_CONSTRAINT: the plan refuses it on this device; never built
 * @MS_OUTCOME_BUILD: its kernels did not compile
 * @MS_OUTCOME_RUN: the device failed during the run, or its profiling times are invalid
 * @MS_OUTCOME_WRONG: its result differs from the reference; never ranked
 * @MS_OUTCOME_TIMEOUT: one run took longer than its time limit
 */
typedef enum {
  MS_OUTCOME_PENDING,
  MS_OUTCOME_OK,
  MS_OUTCOME_CONSTRAINT,
  MS_OUTCOME_BUILD,
  MS_OUTCOME_RUN,
  MS_OUTCOME_WRONG,
  MS_OUTCOME_TIMEOUT,
} MsOutcome;

/** ms_outcome_names: %NULL-terminated: as reports spell them; ms_text() translates them. */
extern const char *const ms_outcome_names[];

/**
 * MsLabEvent: one profiled command; times in nanoseconds of the device's clock, names interned. @headline: whether its
 * time counts in the sample.
 */
typedef struct {
  const char *stage;
  const char *name;
  guint64 started_ns;
  guint64 ended_ns;
  guint64 bytes;
  gboolean headline;
} MsLabEvent;

/**
 * MsSample: the times of one run.
 * @ns: time of the run; if negative, ms_sample_settle() sets it to the sum of the headline events
 * @events: (element-type MsLabEvent): every profiled command of the run
 */
typedef struct {
  double ns;
  GArray *events;
} MsSample;

guint64 ms_clock_now_ns(void);
void ms_sample_add_event(MsSample *sample, const MsLabEvent *event);
gboolean ms_sample_settle(MsSample *sample);

/**
 * MsVerification: how the last run's result compares with the reference.
 * @total: pixels, elements or numbers that were compared
 * @result: (nullable): a result that is a few numbers, as text; @expected: that of the reference
 * @reference_ns: wall time of the reference, 0 where it is shared with other configurations
 */
typedef struct {
  gboolean done;
  guint64 total;
  guint64 mismatches;
  double max_difference;
  char *against;
  char *result;
  char *expected;
  double reference_ns;
} MsVerification;

void ms_verification_clear(MsVerification *self);

/**
 * MsWork: amount of work of one run, for rates; 0 where a rate does not apply.
 * @accesses: memory accesses of a warp, mean, from the model of warps
 * @uncoalesced: accesses of all warps that are not coalesced, from the same model
 * @local_cycles: cycles of local memory in the tree of a work-group, from the model of banks
 * @bank_conflicts: those in which a work-item waits for another one's access to its bank
 */
typedef struct {
  double pixels;
  double window_samples;
  double elements;
  double bytes;
  double accesses;
  double uncoalesced;
  double local_cycles;
  double bank_conflicts;
} MsWork;

/** MsStageSeries: one command of a run (a kernel, an upload, …) over all samples: @ns holds its time in each. */
typedef struct {
  const char *stage;
  const char *name;
  guint64 bytes;
  gboolean headline;
  GArray *ns;
} MsStageSeries;

/**
 * MsInstructionSource: in what the instructions of a kernel were counted, or why not.
 * @MS_INSTRUCTIONS_NOT_ASKED: no column asks for them
 * @MS_INSTRUCTIONS_PTX: in the program from which NVIDIA's driver makes machine code
 * @MS_INSTRUCTIONS_MACHINE_CODE: in the machine code of a processor
 * @MS_INSTRUCTIONS_NO_OBJDUMP: the program that lists machine code is missing
 * @MS_INSTRUCTIONS_UNKNOWN_FORM: the driver hands out no binary, or one of a form that is not known here
 */
typedef enum {
  MS_INSTRUCTIONS_NOT_ASKED,
  MS_INSTRUCTIONS_PTX,
  MS_INSTRUCTIONS_MACHINE_CODE,
  MS_INSTRUCTIONS_NO_OBJDUMP,
  MS_INSTRUCTIONS_UNKNOWN_FORM,
} MsInstructionSource;

/**
 * MsKernelNote: what the driver tells of a kernel; an unknown number is NAN, an unknown text %NULL.
 * @name: of the kernel in the timings
 * @group_size: work-items of a work-group
 * @registers: of a work-item
 * @private_bytes: of a work-item; @local_bytes: of a work-group
 * @resident_groups: work-groups that a compute unit holds at once; @occupancy: its resident work-items, in percent of
 *   the most that it can hold
 * @limit: the resource that does not suffice for another group
 * @counted_in: where @instructions were counted
 */
typedef struct {
  char *name;
  double group_size;
  double registers;
  double private_bytes;
  double local_bytes;
  double resident_groups;
  double occupancy;
  char *limit;
  MsInstructionSource counted_in;
  MsInstructionCounts instructions;
} MsKernelNote;

/** ms_kernel_note_record: its members in JSON and in messages. */
extern const MsRecord ms_kernel_note_record;

MsKernelNote *ms_kernel_note_new(const char *name);

/**
 * MsMeasurement: everything known of one configuration.
 * @message: (nullable): why it failed, in English, as reports say it
 * @shown: (nullable): the same in the user's language; %NULL in a report that was read
 * @samples: (element-type double): nanoseconds, in the order taken
 * @rounds: (element-type guint): the round of each sample, ascending; samples of one round were taken side by side
 * @walls: (element-type double): wall time of the same runs, in nanoseconds
 * @prepare_ns: wall time of building and allocating
 * @first_ns: the first run, not in @samples; NAN when it failed
 * @first_wall_ns: wall time of the first run, lazy initialisation by the runtime included
 * @at_s: seconds since a search began when it was known; NAN outside a search
 * @rejected: runs discarded because an event ended before it started
 * @joules: energy of one run, the host's work around its kernels included, read from @energy_source; NAN without a
 *   counter
 * @watts: mean power over the same runs, gaps between kernels included
 * @conditions: under which it was measured
 * @kernels: (element-type MsKernelNote): what the driver tells of the kernels, where an optional column asks for it
 */
typedef struct {
  MsOutcome outcome;
  char *message;
  char *shown;
  GArray *samples;
  GArray *rounds;
  GArray *walls;
  GPtrArray *stages;
  double prepare_ns;
  double at_s;
  double first_ns;
  double first_wall_ns;
  guint rejected;
  MsVerification verification;
  MsWork work;
  double joules;
  double watts;
  char *energy_source;
  MsConditions conditions;
  GPtrArray *kernels;
} MsMeasurement;

extern const MsRecord ms_measurement_record;

MsMeasurement *ms_measurement_new(void);
void ms_measurement_free(MsMeasurement *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsMeasurement, ms_measurement_free)
MsStageSeries *ms_measurement_stage(MsMeasurement *self, const char *stage, const char *name);
void ms_measurement_fail(MsMeasurement *self, MsOutcome outcome, const char *message, const char *shown);
void ms_measurement_fail_with(MsMeasurement *self, const GError *error);
void ms_measurement_keep(MsMeasurement *self, const MsSample *sample, double wall_ns, guint round);
MsTimes ms_measurement_times(const MsMeasurement *self);
gboolean ms_measurement_is_disturbed(const MsMeasurement *self);
MsSummary ms_measurement_summarise(const MsMeasurement *self);
double ms_measurement_first_extra_ns(const MsMeasurement *self);
const MsKernelNote *ms_measurement_main_kernel(const MsMeasurement *self);
