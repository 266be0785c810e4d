/* SPDX-License-Identifier: MIT */
/* The store of searches: the whole record of a search beside its winner, so that a later search can continue it. */
#pragma once

#include "core/engine/tuned.h"
#include "core/lab/tune/tuner.h"

char *ms_tune_store_path(const char *directory, const MsWinnerKey *key);
MsTuneRecord *ms_tune_store_load(const char *directory, const MsWinnerKey *key, GError **error);
gboolean ms_tune_store_save(const char *directory, const MsTuneRecord *record, GError **error);
