/* SPDX-License-Identifier: MIT */
/* The check of settings against a device before any image is read. */
#pragma once

#include "core/filter/mean-shift.h"

G_BEGIN_DECLS

gboolean ms_device_settings_check(MsContext *context, const MsSettings *settings, GError **error);

G_END_DECLS
