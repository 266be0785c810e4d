/* SPDX-License-Identifier: MIT */
/* What the engine reports about a band or a level, added to the report of a streamed image. */
#pragma once

#include "core/batch/stream/streamed-result.h"

void ms_streamed_report_add(MsStreamedRun *self, MsEngineRun *run, guint repeat);
