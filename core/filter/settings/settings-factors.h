/* SPDX-License-Identifier: MIT */
/* Settings of the filter from the key=value pairs of an experiment or of a tuned winner. */
#pragma once

#include "core/factors.h"
#include "core/filter/settings/options.h"

gboolean ms_settings_from_factors(const MsFactors *factors, MsSettings *settings, GError **error);
