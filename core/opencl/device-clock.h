/* SPDX-License-Identifier: MIT */
/*
 * Which clock times the commands of a device: the events of its driver, or the wall clock around a finished queue where
 * the events give no times, or wrong ones.
 */
#pragma once

#include "core/opencl/context.h"

gboolean ms_device_clock_is_known(MsDevice *device);
gboolean ms_device_clock_agrees(guint64 started_ns, guint64 ended_ns, double wall_ns);
gboolean ms_device_clock_probe(MsContext *context);
