/* SPDX-License-Identifier: MIT */
/*
 * MsProgramJob: runs this program's command line with --progress json in a process of its own, which may crash or hang
 * without harm, and reads its events on the main loop.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "core/image/common/image.h"
#include "ui/engine/window-engine.h"

#define MS_TYPE_PROGRAM_JOB (ms_program_job_get_type())
/*
 * Signals: "event" (const char *name, JsonObject *event): as the manual page of the program describes them;
 * "ended" (GError *): NULL when the program has said that it ended, and named no error.
 */
G_DECLARE_FINAL_TYPE(MsProgramJob, ms_program_job, MS, PROGRAM_JOB, GObject)

MsProgramJob *ms_program_job_new(void);
void ms_program_job_add(MsProgramJob *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
void ms_program_job_add_words(MsProgramJob *self, const char *const *words);
void ms_program_job_add_text(MsProgramJob *self, const char *option, const char *name, const char *text);
void ms_program_job_add_picture(MsProgramJob *self, GFile *file, MsImage *image);
void ms_program_job_start(MsProgramJob *self, MsWindowEngine *engine);
void ms_program_job_set_paused(MsProgramJob *self, gboolean paused);
void ms_program_job_cancel(MsProgramJob *self);
void ms_program_job_drop(MsProgramJob *self, gpointer follower);
gboolean ms_program_job_is_running(MsProgramJob *self);
gboolean ms_program_job_is_cancelled(MsProgramJob *self);

char *ms_program_job_make_folder(GError **error);
