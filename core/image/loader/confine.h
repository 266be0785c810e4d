/* SPDX-License-Identifier: MIT */
/* Takes from this process what decoding a picture does not need: files, programs, the network, other processes. */
#pragma once

#include <glib.h>

/** MsConfinement: what denies; @MS_CONFINE_PATHS: Landlock, @MS_CONFINE_CALLS: a filter of system calls by seccomp. */
typedef enum {
  MS_CONFINE_PATHS = 1,
  MS_CONFINE_CALLS = 2,
} MsConfinement;

int ms_confine_get_landlock(void);
MsConfinement ms_confine(MsConfinement wanted);
