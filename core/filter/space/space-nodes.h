/* SPDX-License-Identifier: MIT */
/* Conversion by the tables of a colour profile, which has no curves and matrix: colours at nodes, and those between. */
#pragma once

#include "core/filter/space/space.h"

gboolean ms_space_nodes_are_usable(GBytes *icc);
gboolean ms_space_nodes_fill(gint32 *tables, MsSpace space, GBytes *icc);
