/* SPDX-License-Identifier: MIT */
/* Finds and numbers the sets of connected pixels on the host's processors. */
#pragma once

#include "core/regions/label-request.h"

gboolean ms_linked_labels_find(const MsLabelRequest *request, int n_parts, MsLabels *labels, GError **error);
