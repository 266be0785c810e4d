/* SPDX-License-Identifier: MIT */
/* Where searches are kept: one JSON file for each device, driver and class of problem, in the user's data folder. */
#pragma once

#include "core/lab/tune/tuner.h"
#include "core/reduce/reduce-plan.h"

G_BEGIN_DECLS

char *ms_tune_store_default_directory(void);
char *ms_tune_store_path(const char *directory, const char *device, const char *driver, const char *problem);
MsTuneRecord *ms_tune_store_load(const char *directory, const char *device, const char *driver, const char *problem,
                                 GError **error);
MsFactors *ms_tune_store_load_winner(const char *directory, const char *device, const char *driver, const char *problem,
                                     const char *version);
gboolean ms_tune_store_save(const char *directory, const MsTuneRecord *record, GError **error);

char *ms_tune_problem_class(double sp, gint64 width, gint64 height);
char *ms_tune_reduce_class(const MsReduceSpec *spec, guint64 n);

G_END_DECLS
