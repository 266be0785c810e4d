/* SPDX-License-Identifier: MIT */
/* MslabError: the error domain of the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define MSLAB_ERROR (mslab_error_quark())

/**
 * MslabError:
 * @MSLAB_ERROR_USAGE: a setting or argument has a value that it cannot take
 * @MSLAB_ERROR_FORMAT: the content of a file does not match its format, or is damaged
 * @MSLAB_ERROR_TOO_LARGE: an image or array exceeds a limit
 * @MSLAB_ERROR_UNSUPPORTED: the device cannot run this combination of settings
 * @MSLAB_ERROR_NO_DEVICE: no OpenCL device matches the selector
 * @MSLAB_ERROR_BUILD: a kernel program did not compile; the message holds the build log
 * @MSLAB_ERROR_DEVICE: an OpenCL call failed
 * @MSLAB_ERROR_MEMORY: the device or the host has not enough memory
 * @MSLAB_ERROR_TIMEOUT: the device did not answer in time
 * @MSLAB_ERROR_IO: a file could not be read or written
 * @MSLAB_ERROR_EXISTS: the output exists already
 * @MSLAB_ERROR_MISMATCH: a result differs from that of the serial reference
 *
 * The codes of the domain %MSLAB_ERROR. The message is a sentence for a person. A cancelled call ends with
 * %G_IO_ERROR_CANCELLED instead.
 */
typedef enum {
  MSLAB_ERROR_USAGE,
  MSLAB_ERROR_FORMAT,
  MSLAB_ERROR_TOO_LARGE,
  MSLAB_ERROR_UNSUPPORTED,
  MSLAB_ERROR_NO_DEVICE,
  MSLAB_ERROR_BUILD,
  MSLAB_ERROR_DEVICE,
  MSLAB_ERROR_MEMORY,
  MSLAB_ERROR_TIMEOUT,
  MSLAB_ERROR_IO,
  MSLAB_ERROR_EXISTS,
  MSLAB_ERROR_MISMATCH,
} MslabError;

GQuark mslab_error_quark(void);

G_END_DECLS
