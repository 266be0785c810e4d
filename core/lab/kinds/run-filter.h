/* SPDX-License-Identifier: MIT */
/* The bridge from the lab's key=value settings to those of the filter. */
#pragma once

#include "core/filter/options.h"
#include "core/lab/experiment/factors.h"

G_BEGIN_DECLS

gboolean ms_lab_filter_settings(const MsFactors *factors, MsSettings *settings, GError **error);

G_END_DECLS
