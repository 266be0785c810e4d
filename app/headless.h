/* SPDX-License-Identifier: MIT */
/* The program without a window: devices are listed, images filtered, arrays reduced, experiments run. */
#pragma once

#include "app/console.h"
#include "app/exit-status.h"

G_BEGIN_DECLS

MsExitStatus ms_headless_run(const MsCommandLine *line);

MsExitStatus ms_headless_batch(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
MsExitStatus ms_headless_lab(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);
MsExitStatus ms_headless_reduce(const MsCommandLine *line, MsConsole *console, GCancellable *cancellable);

MsExitStatus ms_headless_fail(MsConsole *console, const GError *error);
gboolean ms_headless_write(const char *path, const char *text, MsConsole *console, GError **error);
MsContext *ms_headless_open_context(const MsCommandLine *line, MsConsole *console, GError **error);

G_END_DECLS
