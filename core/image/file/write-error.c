/* SPDX-License-Identifier: MIT */
#include "core/image/file/write-error.h"

#include <errno.h>

#include "core/error.h"

/**
 * ms_write_error_set:
 * @name: of the file in messages
 * @code: the errno value
 *
 * Sets #MS_ERROR_IO with what the user can do about it.
 */
void
ms_write_error_set(GError **error, const char *name, int code)
{
  switch (code) {
  case ENOSPC:
  case EDQUOT:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': the disk is full; free some space or choose another folder.",
                 name);
    break;
  case EFBIG:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': the file would be larger than this system or user may write.",
                 name);
    break;
  case EACCES:
  case EPERM:
  case EROFS:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': no permission to write there; choose another folder.", name);
    break;
  case ENOENT:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': its folder does not exist; create it first.", name);
    break;
  case ENOTDIR:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': a part of its path is not a folder; choose another path.",
                 name);
    break;
  default:
    ms_set_error(error, MS_ERROR_IO, "Cannot write '%s': %s; choose another name or folder.", name, g_strerror(code));
  }
}

/** ms_write_error_set_exists: sets #MS_ERROR_EXISTS. */
void
ms_write_error_set_exists(GError **error, const char *name)
{
  ms_set_error(error, MS_ERROR_EXISTS,
               "'%s' exists already and was not changed; choose another name or allow overwriting.", name);
}
