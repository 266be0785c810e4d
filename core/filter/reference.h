/* SPDX-License-Identifier: MIT */
/* The serial reference: methods 1.1 and 1.2 in plain C on one thread, without any optimisation. */
#pragma once

#include "core/filter/plan/job.h"

MsImage *ms_reference_run(MsJob *job, GError **error);

int ms_reference_mean(gint64 sum, int n, MsRule rule);
