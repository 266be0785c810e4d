/* SPDX-License-Identifier: MIT */
/* Finds the regions of a picture by the plain serial code that defines them. */
#pragma once

#include "core/regions/label-request.h"

gboolean ms_reference_regions_find(const MsLabelRequest *request, MsLabels *labels, GError **error);
