/* SPDX-License-Identifier: MIT */
/* MsProgram: a kernel program built for one device, from its spec or from the binary cache. */
#pragma once

#include "core/opencl/cl-auto.h"
#include "core/opencl/device.h"
#include "core/opencl/program-spec.h"

#define MS_TYPE_PROGRAM (ms_program_get_type())
G_DECLARE_FINAL_TYPE(MsProgram, ms_program, MS, PROGRAM, GObject)

MsProgram *ms_program_build(cl_context context, MsDevice *device, MsProgramSpec *spec, const char *cache_folder,
                            GError **error);
const char *ms_program_get_log(MsProgram *self);
gboolean ms_program_is_from_cache(MsProgram *self);
cl_kernel ms_program_create_kernel(MsProgram *self, const char *name, GError **error);
