/* SPDX-License-Identifier: MIT */
/* Pseudo-random arrays for --reduce and the lab, the same on every machine. */
#pragma once

#include "core/reduce/element-type.h"

void *ms_generated_array_new(MsElementType type, guint64 n, guint32 seed, GError **error);
