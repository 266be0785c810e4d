/* SPDX-License-Identifier: MIT */
/* MsSplitEngine: shares each image of a batch among several OpenCL devices. */
#pragma once

#include "core/batch/engine.h"
#include "core/filter/shares.h"

G_BEGIN_DECLS

#define MS_TYPE_SPLIT_ENGINE (ms_split_engine_get_type())
G_DECLARE_FINAL_TYPE(MsSplitEngine, ms_split_engine, MS, SPLIT_ENGINE, MsBatchEngine)

GPtrArray *ms_split_engine_open_contexts(const char *list, MsBatchEngineNote note, gpointer note_data, GError **error);
MsBatchEngine *ms_split_engine_open(const char *list, MsSplitMode mode, MsBatchEngineNote note, gpointer note_data,
                                    GError **error);

G_END_DECLS
