/* SPDX-License-Identifier: MIT */
/*
 * MsDriver: processes that load an OpenCL driver, one after the other, for a user of that driver: a command, a batch or
 * the window. What follows a death is decided here, in one place: another process, an empty cache, the processor, or
 * an end with a sentence.
 */
#pragma once

#include "core/process/child.h"

/** MS_DRIVER_MOST_VAIN: a device that could not be opened by so many processes in a row is given up. */
#define MS_DRIVER_MOST_VAIN 3

/**
 * MsDriverRules: the numbers in which users differ.
 * @most_fruitless: so many processes in a row that brought no result, and it is given up; 0 for any number
 * @usual_cache: so many in a row that opened no device use the driver's usual cache; the next one gets an empty one
 * @has_processor: whether the processor takes over then
 */
typedef struct {
  guint most_fruitless;
  guint usual_cache;
  gboolean has_processor;
} MsDriverRules;

/**
 * MsDriverState: what was seen so far.
 * @vain: processes in a row that did not open the device
 * @fruitless: processes in a row that brought no result
 * @is_open: whether the present one has opened the device
 * @is_processor: whether the device that was opened last is a processor, which has no other in its place
 * @doubts_cache: whether the next one gets an empty cache
 * @is_given_up: whether the processor has taken over
 */
typedef struct {
  guint vain;
  guint fruitless;
  gboolean is_open;
  gboolean is_processor;
  gboolean doubts_cache;
  gboolean is_given_up;
} MsDriverState;

/**
 * MsDriverEvent:
 * @MS_DRIVER_NOTHING: a message that counts for nothing
 * @MS_DRIVER_OPENED, @MS_DRIVER_OPENED_PROCESSOR: the process has opened its device
 * @MS_DRIVER_RESULT: it has brought a result
 * @MS_DRIVER_FINISHED: all its work is done
 * @MS_DRIVER_IDLE: what was asked for is done, and the process waits for the rest
 * @MS_DRIVER_CRASHED: it ended by itself before that
 * @MS_DRIVER_ENDED: it was ended before that
 */
typedef enum {
  MS_DRIVER_NOTHING,
  MS_DRIVER_OPENED,
  MS_DRIVER_OPENED_PROCESSOR,
  MS_DRIVER_RESULT,
  MS_DRIVER_FINISHED,
  MS_DRIVER_IDLE,
  MS_DRIVER_CRASHED,
  MS_DRIVER_ENDED,
} MsDriverEvent;

/** MsDriverAction: what follows an event; the last three follow a death alone. */
typedef enum {
  MS_DRIVER_GO_ON,
  MS_DRIVER_AGAIN,
  MS_DRIVER_TAKE_PROCESSOR,
  MS_DRIVER_GIVE_UP,
} MsDriverAction;

MsDriverAction ms_driver_decide(MsDriverState *state, const MsDriverRules *rules, MsDriverEvent event);

typedef struct _MsDriver MsDriver;

/**
 * MsDriverDeath: what a death means to a user.
 * @MS_DRIVER_DEATH_COUNTS: the rules decide what follows
 * @MS_DRIVER_DEATH_AFTER_RESULT: the same, for a process that had brought a result, so that its cache is not to blame
 * @MS_DRIVER_DEATH_IS_HARMLESS: the work was done
 * @MS_DRIVER_DEATH_IS_FINAL: the work cannot be repeated
 */
typedef enum {
  MS_DRIVER_DEATH_COUNTS,
  MS_DRIVER_DEATH_AFTER_RESULT,
  MS_DRIVER_DEATH_IS_HARMLESS,
  MS_DRIVER_DEATH_IS_FINAL,
} MsDriverDeath;

/**
 * MsDriverUser: how a user of a driver works.
 * @rules: see #MsDriverRules
 * @watch: the limits of each process, without functions; @limit_s is that of all processes together
 * @adapts_silence: whether the limit of silence grows with the longest silence that was seen
 * @exit_s: how long a process may take to exit that has finished
 * @has_work: (nullable): whether there is work for a process
 * @begin: (nullable): hands work to the process
 * @take: takes a message
 * @died: (nullable): a process has died in its work; @how is a clause
 * @ended: (nullable): what follows the end of a process that a main loop watches; the user starts the next one
 * @leaves: (nullable): whether a process that has finished is left to the system, see ms_child_leave()
 * @seconds_left: (nullable): see #MsChildWatch
 * @note: (nullable): takes a sentence for people
 */
typedef struct {
  MsDriverRules rules;
  MsChildWatch watch;
  gboolean adapts_silence;
  double exit_s;
  gboolean (*has_work)(gpointer data);
  void (*begin)(gpointer data);
  MsDriverEvent (*take)(MsMessage *message, gpointer data);
  MsDriverDeath (*died)(MsChildEnd end, const char *how, gpointer data);
  void (*ended)(MsChild *child, MsChildEnd end, const char *how, MsDriverAction action, gpointer data);
  gboolean (*leaves)(gpointer data);
  double (*seconds_left)(gpointer data);
  void (*note)(const char *sentence, gpointer data);
  gpointer data;
} MsDriverUser;

MsDriver *ms_driver_new(const MsChildStart *start);
void ms_driver_begin(MsDriver *self);
void ms_driver_set_files(MsDriver *self, const GArray *files);
MsChildEnd ms_driver_run(MsDriver *self, const MsDriverUser *user, GCancellable *cancellable, GError **error);
MsChild *ms_driver_get_child(MsDriver *self);
gboolean ms_driver_is_given_up(MsDriver *self);
void ms_driver_send(MsDriver *self, guint kind, GVariant *payload, const int *fds);
void ms_driver_free(MsDriver *self);

/* For a main loop */
gboolean ms_driver_start(MsDriver *self, const MsDriverUser *user, GError **error);
void ms_driver_expect(MsDriver *self, gboolean is_expected, double silence_s);
void ms_driver_stop(MsDriver *self, MsChildEnd end);
gboolean ms_driver_is_ending(MsDriver *self);
GPid ms_driver_get_pid(MsDriver *self);
gboolean ms_driver_has_empty_cache(MsDriver *self);
void ms_driver_forgive(MsDriver *self);
void ms_driver_close(MsDriver *self, double patience_s);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsDriver, ms_driver_free)
