/* SPDX-License-Identifier: MIT */
/* The levels of a pyramid above an image that is filtered in bands: computed first, from one pass over its rows. */
#pragma once

#include "core/batch/stream/streamed-result.h"

/**
 * MsStreamedLevels:
 * @result: the engine's result of the level above the image
 * @expected: (nullable): that of the serial reference, for runs that verify
 */
typedef struct {
  MsImage *result;
  MsImage *expected;
} MsStreamedLevels;

gboolean ms_streamed_levels_run(MsStreamedLevels *self, const MsStreamedFile *file, MsStreamedRun *run, GError **error);
void ms_streamed_levels_clear(MsStreamedLevels *self);
