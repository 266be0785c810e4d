/* SPDX-License-Identifier: MIT */
/* What this process waits for in an OpenCL driver, for the process that watches it. */
#pragma once

#include <glib.h>

/**
 * MsWait: a call of a driver that may hang, or end the process.
 * @MS_WAIT_DRIVERS: the loader of OpenCL loads the drivers and lists their devices
 * @MS_WAIT_DEVICE: a device is opened and tried
 * @MS_WAIT_COMPILER: a program is compiled
 */
typedef enum {
  MS_WAIT_NONE,
  MS_WAIT_DRIVERS,
  MS_WAIT_DEVICE,
  MS_WAIT_COMPILER,
  MS_N_WAITS,
} MsWait;

void ms_wait_share(gint *block);
MsWait ms_wait_begin(MsWait what);
void ms_wait_end(MsWait before);
MsWait ms_wait_read(const gint *block, guint *number);
const char *ms_wait_name(MsWait what);
