/* SPDX-License-Identifier: MIT */
/* A writable folder for the compiler cache of PoCL, without which PoCL finds no device or ends the process. */
#pragma once

#include <glib.h>

const char *ms_driver_cache_prepare(void);
