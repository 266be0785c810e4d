/* SPDX-License-Identifier: MIT */
/*
 * MsLabLog: what was measured so far, as lines of JSON that are only appended. A command has one in a block of memory
 * that it shares with the process that watches it: when the driver ends the process, the next one reads there what need
 * not be measured again, and which configuration ended the last one. A folder of reports has one in a file, from which
 * a later command goes on, and so has each class of problems that was tuned.
 *
 * A measurement has a key, by which it is known again. It names all on which the measurement depends, see
 * ms_lab_log_scope().
 */
#pragma once

#include <json-glib/json-glib.h>

#include "core/lab/measure/measurement.h"

/** MS_LAB_LOG_VARIABLE: the environment variable with the descriptor of the log, for a child that measures. */
#define MS_LAB_LOG_VARIABLE "MEANSHIFT_LAB_LOG"

typedef struct _MsLabLog MsLabLog;

char *ms_lab_log_scope(const char *name, ...) G_GNUC_NULL_TERMINATED;

/* For the process that watches. */
MsLabLog *ms_lab_log_new(GError **error);
int ms_lab_log_get_fd(const MsLabLog *self);
double ms_lab_log_seconds_left(MsLabLog *self);
void ms_lab_log_note_death(MsLabLog *self, const char *clause);
gboolean ms_lab_log_has_grown(MsLabLog *self);

/* For the process that measures; a log of %NULL keeps nothing. */
MsLabLog *ms_lab_log_inherit(int fd);
guint ms_lab_log_count_deaths(const MsLabLog *self);
gint64 ms_lab_log_start_clock(MsLabLog *self);
void ms_lab_log_begin(MsLabLog *self, const char *key, double seconds);
void ms_lab_log_end(MsLabLog *self);
void ms_lab_log_keep(MsLabLog *self, const char *key, const MsSample *sample, double wall_ns, guint round);

/* For both kinds of logs. */
const MsMeasurement *ms_lab_log_nth(const MsLabLog *self, guint n, const char **key);
gboolean ms_lab_log_has(const MsLabLog *self, const char *key);
gboolean ms_lab_log_restore(MsLabLog *self, const char *key, MsMeasurement *measurement);
void ms_lab_log_finish(MsLabLog *self, const char *key, const MsMeasurement *measurement);

/* For a file. */
MsLabLog *ms_lab_log_open(const char *path, gboolean creates, GError **error);
gboolean ms_lab_log_write(MsLabLog *self, GPtrArray *keys, GPtrArray *measurements, GError **error);
gboolean ms_lab_log_complete(MsLabLog *self, const char *scope, JsonNode *head, GError **error);
JsonObject *ms_lab_log_find_complete(const MsLabLog *self, const char *scope);
void ms_lab_log_forget(MsLabLog *self, const char *start);

void ms_lab_log_free(MsLabLog *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsLabLog, ms_lab_log_free)
