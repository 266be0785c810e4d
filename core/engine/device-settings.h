/* SPDX-License-Identifier: MIT */
/* What the engines ask of a device before they use it: whether settings can run there, and what `auto` means there. */
#pragma once

#include "core/filter/mean-shift.h"

G_BEGIN_DECLS

gboolean ms_device_settings_check(MsContext *context, const MsSettings *settings, GError **error);
MsSettings ms_device_settings_tuned(MsContext *context, MsImage *source, const MsSettings *settings);

G_END_DECLS
