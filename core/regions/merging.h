/* SPDX-License-Identifier: MIT */
/* Merges regions that are too small with the neighbour nearest in colour. */
#pragma once

#include "core/regions/label-request.h"

gboolean ms_merge_small_regions(const MsLabelRequest *request, MsLabels *labels, GError **error);
