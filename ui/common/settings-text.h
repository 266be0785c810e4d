/* SPDX-License-Identifier: MIT */
/* Settings in words, as the window's controls name them. */
#pragma once

#include "core/filter/settings/options.h"

char *ms_settings_text(const MsSettings *settings, const char *const *names, gboolean toggles_first);
