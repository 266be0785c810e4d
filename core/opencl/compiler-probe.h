/* SPDX-License-Identifier: MIT */
/* Finds out by building a small program which language extensions a device's compiler accepts. */
#pragma once

#include "core/opencl/device.h"

gboolean ms_compiler_has_clang_vectors(cl_context context, MsDevice *device, const char *cache_folder);
