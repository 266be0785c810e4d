/* SPDX-License-Identifier: MIT */
/* --progress json: the events of a run, as one JSON object a line on standard output. Without it nothing is written. */
#pragma once

#include "app/command-line/command-line.h"
#include "app/report/console.h"
#include "core/batch/event.h"
#include "core/lab/report/report.h"

void ms_progress_batch(MsConsole *console, MsBatchEvent *event);
void ms_progress_counts(MsConsole *console, const MsBatchCounts *counts, double seconds, gboolean interrupted);
void ms_progress_fraction(MsConsole *console, double fraction, const char *message);
void ms_progress_report(MsConsole *console, const MsReport *report, gboolean is_last);
void ms_progress_error(MsConsole *console, const GError *error);
void ms_progress_ended(MsConsole *console, MsExitStatus status);
