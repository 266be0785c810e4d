/* SPDX-License-Identifier: MIT */
/* Filters a level of a pyramid in stripes, where the levels do not fit on the device together. */
#pragma once

#include "core/filter/mean-shift-run.h"

/** MsCoarserFunc: computes the level above: the whole region of its plan, from the host's memory into it. */
typedef gboolean (*MsCoarserFunc)(const MsFilterRun *run, GError **error);

gboolean ms_filter_level_stripes_run(const MsFilterRun *run, MsCoarserFunc coarser, GError **error);
