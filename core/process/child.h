/* SPDX-License-Identifier: MIT */
/*
 * MsChild: a process of this program that loads an OpenCL driver, as the process that started it sees it. The driver
 * may abort, hang or exit at any time; whoever started the child watches it here, and ends it.
 */
#pragma once

#include <signal.h>

#include "core/opencl/wait.h"
#include "core/process/channel.h"

/** MS_CHILD_VARIABLE: the environment variable whose presence makes a process a child; its value is its role. */
#define MS_CHILD_VARIABLE "MEANSHIFT_LAB_CHILD"

/** MS_CHILD_PROGRAM_VARIABLE: names the program to start where the running one is another, as a test is. */
#define MS_CHILD_PROGRAM_VARIABLE "MEANSHIFT_LAB_PROGRAM"

/** MS_CHILD_CHANNEL_FD: the channel of a child that was started as a program; further files follow it. */
#define MS_CHILD_CHANNEL_FD 3
#define MS_CHILD_FILES_FD 4

/** MS_CHILD_WAIT_VARIABLE: names the descriptor of a block in which a child notes what it waits for in its driver. */
#define MS_CHILD_WAIT_VARIABLE "MEANSHIFT_LAB_WAIT"

/** MS_CHILD_LONG_WAIT_S: nobody waits longer for a call of a driver without being told. */
#define MS_CHILD_LONG_WAIT_S 10

/**
 * MsChildEnd: why a child is not followed any longer.
 * @MS_CHILD_END_FINISHED: the caller's function said that the work is done
 * @MS_CHILD_END_DIED: it ended before that
 * @MS_CHILD_END_SILENT: it sent nothing for too long
 * @MS_CHILD_END_LATE: its time was over
 * @MS_CHILD_END_OVERDUE: the caller's function said that a part of its work took too long
 * @MS_CHILD_END_FLOODED: it wrote without end to standard error
 * @MS_CHILD_END_BROKEN: it sent something that is not a message
 * @MS_CHILD_END_TOO_LARGE: it took more memory than allowed
 * @MS_CHILD_END_CANCELLED: the caller was cancelled, and the time of grace is over
 */
typedef enum {
  MS_CHILD_END_FINISHED,
  MS_CHILD_END_DIED,
  MS_CHILD_END_SILENT,
  MS_CHILD_END_LATE,
  MS_CHILD_END_OVERDUE,
  MS_CHILD_END_FLOODED,
  MS_CHILD_END_BROKEN,
  MS_CHILD_END_TOO_LARGE,
  MS_CHILD_END_CANCELLED,
} MsChildEnd;

/** MsChildMain: the main function of a child that is a copy of this process; @channel is its end. */
typedef void (*MsChildMain)(MsChannel *channel, gconstpointer line);

/**
 * MsChildStart: how a child is started.
 * @role: the value of MS_CHILD_VARIABLE
 * @arguments: (nullable) (array zero-terminated=1): program and arguments; %NULL for those of this process
 * @is_bare: whether it is this program without arguments
 * @work: (nullable): the main function of a copy of this process that is started in its place, see ms_child_spawn()
 * @line: for @work
 * @from_child: the messages that it may send
 * @to_child: the messages that it takes
 * @files: (nullable) (element-type int): which it inherits from descriptor MS_CHILD_FILES_FD on
 * @files_variable: (nullable): the environment variable that gets the descriptor of the first of them
 * @captures_stderr: whether its standard error is read here, see ms_child_pass_stderr(); else it is inherited
 * @variables: (nullable) (array zero-terminated=1): names and values of further environment variables
 * @cache: (nullable): a folder for the cache of the OpenCL driver where the usual one may be damaged
 * @library: (nullable): what writes to its standard error, for messages; %NULL for the driver
 * @follows_death: whether a driver ended an earlier child, so that this one tries a device before it trusts it; a child
 *   that is forked is the first
 */
typedef struct {
  const char *role;
  const char *const *arguments;
  gboolean is_bare;
  MsChildMain work;
  gconstpointer line;
  const MsProtocol *from_child;
  const MsProtocol *to_child;
  const GArray *files;
  const char *files_variable;
  gboolean captures_stderr;
  const char *const *variables;
  const char *cache;
  const char *library;
  gboolean follows_death;
} MsChildStart;

/**
 * MsChildWatch: what ends a child that ms_child_follow() follows.
 * @silence_s: the longest time between two messages; 0 for no limit
 * @limit_s: the longest time in all; 0 for no limit
 * @grace_s: the time that it gets to end by itself after a cancellation or @limit_s, before it is killed
 * @memory: the most bytes that it may have in memory; 0 for no limit
 * @seconds_left: (nullable): asked ten times a second; the child is killed where it says 0 or less
 * @waits: (nullable): told once of each call of the driver that takes longer than %MS_CHILD_LONG_WAIT_S; %FALSE ends
 *   the child
 */
typedef struct {
  double silence_s;
  double limit_s;
  double grace_s;
  guint64 memory;
  double (*seconds_left)(gpointer data);
  gboolean (*waits)(MsWait what, gpointer data);
  gpointer data;
} MsChildWatch;

typedef struct _MsChild MsChild;

MsChild *ms_child_spawn(const MsChildStart *start, GError **error);
gboolean ms_child_send(MsChild *self, guint kind, GVariant *payload, const int *fds, GError **error);
MsReceipt ms_child_receive(MsChild *self, MsMessage *message);
MsChannel *ms_child_get_channel(MsChild *self);
GPid ms_child_get_pid(MsChild *self);
MsWait ms_child_get_wait(MsChild *self);
MsWait ms_child_find_long_wait(MsChild *self);
int ms_child_get_stderr(MsChild *self);
gboolean ms_child_read_stderr(MsChild *self);
void ms_child_pass_stderr(MsChild *self);
void ms_child_signal(MsChild *self, int number);
void ms_child_end(MsChild *self, double patience_s);
void ms_child_leave(MsChild *self, double patience_s);
char *ms_child_describe_end(MsChild *self, MsChildEnd end, const MsChildWatch *watch);
int ms_child_get_status(MsChild *self);
void ms_child_free(MsChild *self);

const char *ms_child_get_role(void);
MsChannel *ms_child_begin(const MsProtocol *incoming, const MsProtocol *outgoing);
char *ms_child_find_program(void);
void ms_child_exit(int status) G_GNUC_NORETURN;

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsChild, ms_child_free)
