/* SPDX-License-Identifier: MIT */
/* The device of a batch as the command line names it, and the memory that --memory-limit leaves to it. */
#pragma once

#include "app/report/console.h"
#include "core/engine/engine.h"

guint64 ms_batch_device_runtime_bytes(const MsCommandLine *line);
guint64 ms_batch_device_watched_bytes(const MsCommandLine *line);
gboolean ms_batch_device_falls_back(const MsCommandLine *line);
void ms_batch_device_prepare(const MsCommandLine *line);
MsEngine *ms_batch_device_open(const MsCommandLine *line, gboolean is_on_processor, MsConsole *console, GError **error);
