/* SPDX-License-Identifier: MIT */
/* The serial sort, by the C library, the reference for the results of devices. */
#pragma once

#include "core/reduce/element-type.h"

G_BEGIN_DECLS

void ms_sort_serial(MsElementType type, void *keys, guint64 n);

G_END_DECLS
