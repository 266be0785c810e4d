/* SPDX-License-Identifier: MIT */
/* Keeps the program alive while a thread is inside the device's driver, which must not be pulled away from under it. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

GApplication *ms_job_hold(void);
void ms_job_release(GApplication *held);

/** MS_JOB_WATCHDOG_MS: how long a device may keep silent in a job before it counts as hung, so that no hold is for ever. */
#define MS_JOB_WATCHDOG_MS 60000

G_END_DECLS
