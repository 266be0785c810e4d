/* SPDX-License-Identifier: MIT */
/*
 * The caches of drivers: a writable folder for PoCL, which without one finds no device or ends the process, and whether
 * NVIDIA keeps programs.
 */
#pragma once

#include <glib.h>

/** MS_DRIVER_CACHE_VARIABLE: the environment variable that names PoCL's cache folder. */
#define MS_DRIVER_CACHE_VARIABLE "POCL_CACHE_DIR"

const char *ms_driver_cache_prepare(void);
char *ms_driver_cache_find(void);
gboolean ms_driver_cache_keeps_sources(guint nvidia_capability);
char *ms_driver_cache_make_spare(void);
void ms_driver_cache_remove_spare(const char *folder);
