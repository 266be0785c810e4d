/* SPDX-License-Identifier: MIT */
/* A search in the T4 format, in which auto-tuners share their results. */
#pragma once

#include "core/lab/tune/tune-record.h"

JsonNode *ms_tune_record_to_t4(const MsTuneRecord *self);
JsonNode *ms_tune_record_to_t4_metadata(const MsTuneRecord *self);
