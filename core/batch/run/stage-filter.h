/* SPDX-License-Identifier: MIT */
/* The stages that filter a decoded image and compare the result with the reference. */
#pragma once

#include "core/batch/run/batch-image.h"

gboolean ms_stage_filter(MsBatchImage *work, MsEngine *engine, GError **error);
gboolean ms_stage_verify(MsBatchImage *work, GError **error);
gboolean ms_stage_verify_band(MsBatchImage *work, const MsStreamedBand *place, MsImage *result, GError **error);
