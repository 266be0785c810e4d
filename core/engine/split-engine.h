/* SPDX-License-Identifier: MIT */
/* MsSplitEngine: shares each image of a batch among several OpenCL devices. */
#pragma once

#include "core/engine/engine.h"
#include "core/filter/split/shares.h"

#define MS_TYPE_SPLIT_ENGINE (ms_split_engine_get_type())
G_DECLARE_FINAL_TYPE(MsSplitEngine, ms_split_engine, MS, SPLIT_ENGINE, MsEngine)

GPtrArray *ms_split_engine_open_contexts(const char *list, MsEngineNote note, gpointer note_data, GError **error);
MsEngine *ms_split_engine_open(const char *list, MsSplitMode mode, MsEngineNote note, gpointer note_data,
                               GError **error);
