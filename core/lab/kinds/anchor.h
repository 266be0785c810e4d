/* SPDX-License-Identifier: MIT */
/* The anchor: work that is the same in every version of the program, measured beside the configurations of a group. */
#pragma once

#include "core/lab/kinds/bench.h"

MsSubject *ms_lab_anchor_new(MsLabBench *bench);
