/* SPDX-License-Identifier: MIT */
/* MsReferenceEngine: the serial reference in plain C on one thread, which needs no OpenCL device. */
#pragma once

#include "core/engine/engine.h"

#define MS_TYPE_REFERENCE_ENGINE (ms_reference_engine_get_type())
G_DECLARE_FINAL_TYPE(MsReferenceEngine, ms_reference_engine, MS, REFERENCE_ENGINE, MsEngine)

MsEngine *ms_reference_engine_new(void);
