/* SPDX-License-Identifier: MIT */
/* Names the output of an item and decides what happens where a file exists already. */
#pragma once

#include "core/batch/planning.h"

char *ms_planning_output_path(const MsPlanning *p, const MsBatchItem *item, gboolean any_seq);
void ms_planning_settle(const MsPlanning *p, MsBatchItem *item);
