/* SPDX-License-Identifier: MIT */
#include "mslab-error.h"

#include "core/error.h"

/* Errors of core reach the caller unchanged, so the codes must be the same. */
G_STATIC_ASSERT((int)MSLAB_ERROR_USAGE == (int)MS_ERROR_USAGE);
G_STATIC_ASSERT((int)MSLAB_ERROR_FORMAT == (int)MS_ERROR_FORMAT);
G_STATIC_ASSERT((int)MSLAB_ERROR_TOO_LARGE == (int)MS_ERROR_TOO_LARGE);
G_STATIC_ASSERT((int)MSLAB_ERROR_UNSUPPORTED == (int)MS_ERROR_UNSUPPORTED);
G_STATIC_ASSERT((int)MSLAB_ERROR_NO_DEVICE == (int)MS_ERROR_NO_DEVICE);
G_STATIC_ASSERT((int)MSLAB_ERROR_BUILD == (int)MS_ERROR_BUILD);
G_STATIC_ASSERT((int)MSLAB_ERROR_DEVICE == (int)MS_ERROR_DEVICE);
G_STATIC_ASSERT((int)MSLAB_ERROR_MEMORY == (int)MS_ERROR_MEMORY);
G_STATIC_ASSERT((int)MSLAB_ERROR_TIMEOUT == (int)MS_ERROR_TIMEOUT);
G_STATIC_ASSERT((int)MSLAB_ERROR_IO == (int)MS_ERROR_IO);
G_STATIC_ASSERT((int)MSLAB_ERROR_EXISTS == (int)MS_ERROR_EXISTS);
G_STATIC_ASSERT((int)MSLAB_ERROR_MISMATCH == (int)MS_ERROR_MISMATCH);

/**
 * mslab_error_quark:
 *
 * The error domain of the library.
 *
 * Returns: the quark of %MSLAB_ERROR
 */
GQuark
mslab_error_quark(void)
{
  return ms_error_quark();
}
