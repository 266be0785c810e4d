/* SPDX-License-Identifier: MIT */
/* The threads of a run that read headers, decode, verify and save. */
#pragma once

#include "core/batch/run/runner-private.h"

GPtrArray *ms_runner_start_workers(MsRunner *self, guint n);
