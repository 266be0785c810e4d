/* SPDX-License-Identifier: MIT */
/* The filter of system calls in a build without libseccomp: there is none. */
#include "core/image/loader/filter.h"

gboolean
ms_filter_is_there(void)
{
  return FALSE;
}

gboolean
ms_filter_load(void)
{
  return FALSE;
}
