/* SPDX-License-Identifier: MIT */
/*
 * MsLabJournal: what a process has measured so far, in a block of memory that it shares with the process that watches
 * it. When the driver ends the process, the next one reads there what need not be measured again, and which
 * configuration ended the last one.
 */
#pragma once

#include "core/lab/measure/measurement.h"

/** MS_LAB_JOURNAL_VARIABLE: the environment variable with the descriptor of the journal, for a child that measures. */
#define MS_LAB_JOURNAL_VARIABLE "MEANSHIFT_LAB_JOURNAL"

typedef struct _MsLabJournal MsLabJournal;

/* For the process that watches. */
MsLabJournal *ms_lab_journal_new(GError **error);
int ms_lab_journal_get_fd(const MsLabJournal *self);
double ms_lab_journal_seconds_left(MsLabJournal *self);
void ms_lab_journal_note_death(MsLabJournal *self, const char *clause);
gboolean ms_lab_journal_has_grown(MsLabJournal *self);

/* For the process that measures; a journal of %NULL keeps nothing. */
MsLabJournal *ms_lab_journal_open(int fd);
guint ms_lab_journal_count_deaths(const MsLabJournal *self);
gint64 ms_lab_journal_start_clock(MsLabJournal *self);
const MsMeasurement *ms_lab_journal_nth(const MsLabJournal *self, guint n, const char **key);
gboolean ms_lab_journal_restore(MsLabJournal *self, const char *key, MsMeasurement *measurement);
void ms_lab_journal_begin(MsLabJournal *self, const char *key, double seconds);
void ms_lab_journal_end(MsLabJournal *self);
void ms_lab_journal_keep(MsLabJournal *self, const char *key, const MsSample *sample, double wall_ns, guint round);
void ms_lab_journal_describe(MsLabJournal *self, const char *key, GPtrArray *kernels);
void ms_lab_journal_finish(MsLabJournal *self, const char *key, const MsMeasurement *measurement);

void ms_lab_journal_free(MsLabJournal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsLabJournal, ms_lab_journal_free)
