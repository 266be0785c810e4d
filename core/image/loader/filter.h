/* SPDX-License-Identifier: MIT */
/* A filter of system calls by seccomp, with libseccomp; a build without that has none. */
#pragma once

#include <glib.h>

gboolean ms_filter_is_there(void);
gboolean ms_filter_load(void);
