/* SPDX-License-Identifier: MIT */
/* The report of --diagnose: versions, system, devices, cache, and a self-test of every kernel on every device. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *ms_diagnose_text(gboolean *agrees, GError **error);

G_END_DECLS
