/* SPDX-License-Identifier: MIT */
/* MsConsole: errors, notes and progress on standard error, and tables on whichever stream no report occupies. */
#pragma once

#include "app/command-line/command-line.h"
#include "core/process/channel.h"

typedef struct _MsConsole MsConsole;

/** MsConsoleRate: how often an event may be written at most: every 100 ms or every 300 ms. */
typedef enum {
  MS_CONSOLE_FRACTION,
  MS_CONSOLE_REPORT,
  MS_CONSOLE_N_RATES,
} MsConsoleRate;

MsConsole *ms_console_new(const MsCommandLine *line);
void ms_console_set_parent(MsConsole *self, MsChannel *parent);
void ms_console_note_so_far(MsConsole *self, const char *text);
void ms_console_begin_results(MsConsole *self);
void ms_console_free(MsConsole *self);
void ms_console_error(MsConsole *self, const char *sentence);
void ms_console_error_log(MsConsole *self, const char *text);
void ms_console_note(MsConsole *self, const char *sentence);
void ms_console_print_note(const char *sentence, gpointer self);
void ms_console_print(MsConsole *self, const char *text);
void ms_console_write(MsConsole *self, const void *data, gsize size);
void ms_console_progress(MsConsole *self, guint done, guint total, const char *name, double part);
void ms_console_progress_done(MsConsole *self, guint done, guint total, const char *name, const char *status);
gboolean ms_console_has_events(const MsConsole *self);
gboolean ms_console_event_is_due(MsConsole *self, MsConsoleRate rate);
void ms_console_write_event(MsConsole *self, const char *line);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsConsole, ms_console_free)
