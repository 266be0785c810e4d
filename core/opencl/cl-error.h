/* SPDX-License-Identifier: MIT */
/* OpenCL status codes by name, and as GErrors that name the failed operation. */
#pragma once

#include <CL/cl.h>
#include <glib.h>

#include "core/error.h"

const char *ms_cl_status_name(cl_int status);
gboolean ms_cl_check(cl_int status, GError **error, const char *doing_format, ...) G_GNUC_PRINTF(3, 4);
