/* SPDX-License-Identifier: MIT */
/* Finds out which OpenCL driver ends or holds up a process that only loads it: each is loaded by a process alone. */
#pragma once

#include <gio/gio.h>

/** MS_TRIAL_ROLE: of a child that loads one driver, see ms_child_get_role(). */
#define MS_TRIAL_ROLE "trial"

/** MS_TRIAL_S: how long a driver may take to be loaded and to list its devices. */
#define MS_TRIAL_S 20

gboolean ms_trial_find_culprits(GCancellable *cancellable, GError **error);
void ms_trial_work(void) G_GNUC_NORETURN;
