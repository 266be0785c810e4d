/* SPDX-License-Identifier: MIT */
/* Program binaries in the user's cache folder; a damaged or foreign file counts as absent. */
#pragma once

#include "core/opencl/device.h"
#include "core/opencl/program-spec.h"

char *ms_program_cache_key(MsDevice *device, MsProgramSpec *spec);
char *ms_program_cache_folder(void);
GBytes *ms_program_cache_load(const char *folder, const char *key);
gboolean ms_program_cache_store(const char *folder, const char *key, GBytes *binary, GError **error);
void ms_program_cache_remove(const char *folder, const char *key);
