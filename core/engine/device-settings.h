/* SPDX-License-Identifier: MIT */
/* The check of settings against a device before any image is read. */
#pragma once

#include "core/filter/mean-shift.h"

gboolean ms_device_settings_check(MsContext *context, const MsSettings *settings, GError **error);
