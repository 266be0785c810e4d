/* SPDX-License-Identifier: MIT */
#include "core/error.h"

GQuark
ms_error_quark(void)
{
  return g_quark_from_static_string("ms-error-quark");
}
