/* SPDX-License-Identifier: MIT */
/* The objects of core that the public types wrap; shared among these types and not exported. */
#pragma once

#include "core/engine/engine.h"
#include "core/reduce/image-statistics.h"
#include "core/reduce/reduce-plan.h"

#include "mslab-engine.h"
#include "mslab-error.h"
#include "mslab-image.h"
#include "mslab-reduction.h"
#include "mslab-regions.h"
#include "mslab-settings.h"
#include "mslab-statistics.h"

MslabImage *ms_api_image_new(MsImage *image);
MsImage *ms_api_image_get(MslabImage *self);
MsEngine *ms_api_engine_lock(MslabEngine *self);
void ms_api_engine_unlock(MslabEngine *self);
MsSettings ms_api_settings_get(MslabSettings *self);
MslabStatistics *ms_api_statistics_new(MsImage *image, MsContext *context, GCancellable *cancellable, GError **error);
MslabRegions *ms_api_regions_new(MsEngine *engine, MsJob *job, guint min_pixels, GError **error);
MslabReduction *ms_api_reduction_new(const MsReduceSpec *spec, GBytes *elements, MsContext *context,
                                     GCancellable *cancellable, GError **error);
