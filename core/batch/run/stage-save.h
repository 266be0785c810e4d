/* SPDX-License-Identifier: MIT */
/* The last stage: saves a result, or filters and saves in one an image that exceeds the memory. */
#pragma once

#include "core/batch/run/batch-image.h"

gboolean ms_stage_save(MsBatchImage *work, GError **error);
gboolean ms_stage_stream(MsBatchImage *work, MsEngine *engine, MsProgressFunc progress, gpointer progress_data,
                         GError **error);
