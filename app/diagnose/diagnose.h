/* SPDX-License-Identifier: MIT */
/* The report of --diagnose: versions, system, devices, cache, and a self-test of every kernel on every device. */
#pragma once

#include <glib.h>

char *ms_diagnose_text(gboolean *agrees, GError **error);
