/* SPDX-License-Identifier: MIT */
/* The serial sort, by the C library, the reference for the results of devices. */
#pragma once

#include "core/reduce/element-type.h"

void ms_sort_serial(MsElementType type, void *keys, guint64 n);
