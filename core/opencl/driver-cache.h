/* SPDX-License-Identifier: MIT */
/* A writable folder for the compiler cache of PoCL, without which PoCL finds no device or ends the process. */
#pragma once

#include <glib.h>

/** MS_DRIVER_CACHE_VARIABLE: the environment variable that names PoCL's cache folder. */
#define MS_DRIVER_CACHE_VARIABLE "POCL_CACHE_DIR"

const char *ms_driver_cache_prepare(void);
char *ms_driver_cache_find(void);
char *ms_driver_cache_make_spare(void);
void ms_driver_cache_remove_spare(const char *folder);
