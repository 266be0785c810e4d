/* SPDX-License-Identifier: MIT */
/* Finds out by building a small program which language extensions a device's compiler accepts. */
#pragma once

#include "core/opencl/device.h"

MsCompilerExtensions ms_compiler_probe(cl_context context, MsDevice *device, const char *cache_folder);
