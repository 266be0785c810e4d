/* SPDX-License-Identifier: MIT */
/* MsHalving: ms_pyramid_halve() of a picture whose rows come one after the other and are not kept. */
#pragma once

#include "core/filter/pyramid/pyramid.h"

typedef struct _MsHalving MsHalving;

MsHalving *ms_halving_new(MsPyramidSize size, guint8 *coarse);
void ms_halving_add_row(MsHalving *self, const guint8 *row);
void ms_halving_free(MsHalving *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsHalving, ms_halving_free)
