/* SPDX-License-Identifier: MIT */
/*
 * MsCommand: what the program does without a window, one row each; and what the commands share: errors, reports, the
 * device, and the memory that --memory-limit leaves to it.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "app/command-line/command-line.h"
#include "app/report/console.h"
#include "core/process/driver.h"

/**
 * MsCommand: a row of the table. The options that a command takes are those whose row in #ms_command_options names its
 * action.
 * @action: the index of the row is the number of its bit
 * @name: in messages
 * @uses_driver: whether a child does the whole work, since the driver may end it or hang
 * @measures: whether the child notes what it measured, so that another one goes on where it ended
 * @has_events: whether --progress json prints events
 * @reads_nothing: whether it takes no image
 * @without_input: (nullable): the sentence that refuses a line without an image
 * @run: (nullable): %NULL for images, which are filtered by ms_batch_command_run(), and for the window
 */
typedef struct {
  MsCommandAction action;
  const char *name;
  gboolean uses_driver;
  gboolean measures;
  gboolean has_events;
  gboolean reads_nothing;
  const char *without_input;
  MsExitStatus (*run)(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
} MsCommand;

const MsCommand *ms_commands(guint *n);
const MsCommand *ms_command_find(const MsCommandLine *line);

gboolean ms_command_line_check(const MsCommandLine *self, GError **error);
gboolean ms_output_check(const MsCommandLine *line, GError **error);

MsExitStatus ms_list_devices_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
char *ms_device_list_text(GPtrArray *devices);
MsExitStatus ms_diagnose_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
MsExitStatus ms_lab_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
MsExitStatus ms_reports_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
MsExitStatus ms_regions_command_run(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);

gboolean ms_batch_command_names_device(const MsCommandLine *line);
MsExitStatus ms_batch_command_run(const MsCommandLine *line, MsConsole *console, MsDriver *driver,
                                  GCancellable *cancellable);

/**
 * MsCommandChild: a process that loads a driver for the command line of its parent.
 * @engine: (nullable): once it is open; it stays so until the process ends
 * @is_on_processor: whether the processor replaces the requested device, which was given up
 */
typedef struct {
  const MsCommandLine *line;
  MsConsole *console;
  GCancellable *cancellable;
  MsEngine *engine;
  gboolean is_on_processor;
} MsCommandChild;

gboolean ms_batch_command_open_device(MsChannel *channel, GVariant *content, gpointer data);
gboolean ms_batch_command_filter(MsChannel *channel, GVariant *content, gpointer data);

MsExitStatus ms_command_fail(MsConsole *console, const GError *error);

void ms_command_prepare_device(const MsCommandLine *line);
MsEngine *ms_command_open_engine(const MsCommandLine *line, gboolean is_on_processor, MsConsole *console,
                                 GError **error);
MsContext *ms_command_open_context(const MsCommandLine *line, MsConsole *console, GError **error);
guint64 ms_command_runtime_bytes(const MsCommandLine *line);
