/* SPDX-License-Identifier: MIT */
/*
 * The files through which the loader of OpenCL finds drivers. One whose driver ended or held up a process that only
 * loaded it is left out until it changes.
 */
#pragma once

#include <glib.h>

/** MS_ICD_VARIABLE: the environment variable that names the only file whose driver a process is to load. */
#define MS_ICD_VARIABLE "MEANSHIFT_LAB_ICD"

GStrv ms_icd_list(void);
gboolean ms_icd_leave_out(const char *file, const char *how, GError **error);
const char *ms_icd_prepare(void);
