/* SPDX-License-Identifier: MIT */
/* Cuts a plan's region into stripes whose buffers fit the device, and into bands short enough for cancelling. */
#pragma once

#include "core/filter/plan/plan.h"

guint64 ms_plan_device_bytes(const MsPlan *self, int stripe_rows);
gboolean ms_plan_cut_into_stripes(MsPlan *self, GError **error);
