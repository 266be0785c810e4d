/* SPDX-License-Identifier: MIT */
#include "core/image/image-sink.h"

/**
 * ms_save_options_default:
 *
 * The compression is 3, the last of zlib's fast levels: photographs take a third of the time of level 6, zlib's
 * default, for files five per cent larger.
 *
 * Returns: format by extension, the format's own quality, compression 3, no file is overwritten
 */
MsSaveOptions
ms_save_options_default(void)
{
  return (MsSaveOptions){
    .format = MS_IMAGE_FORMAT_AUTO,
    .quality = MS_QUALITY_AUTO,
    .compression = 3,
    .overwrite = FALSE,
  };
}
