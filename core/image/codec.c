/* SPDX-License-Identifier: MIT */
#include "core/image/image-format.h"

#include <string.h>

/**
 * ms_image_sniff:
 * @data: the first bytes of a file
 * @size: how many there are; 8 are enough
 *
 * A PNG signature is taken for one when its first half is right, so that the decoder can say what became of the rest
 * (text-mode transfers damage it).
 *
 * Returns: the format by content, %MS_IMAGE_FORMAT_AUTO when it is neither
 */
MsImageFormat
ms_image_sniff(const guint8 *data, gsize size)
{
  if (size >= 4 && memcmp(data, "\x89PNG", 4) == 0)
    return MS_IMAGE_FORMAT_PNG;
  if (size >= 2 && data[0] == 0xff && data[1] == 0xd8 && (size == 2 || data[2] == 0xff))
    return MS_IMAGE_FORMAT_JPEG;
  return MS_IMAGE_FORMAT_AUTO;
}

/** ms_image_format_from_path: the format an extension asks for, %MS_IMAGE_FORMAT_AUTO when it is none of ours. */
MsImageFormat
ms_image_format_from_path(const char *path)
{
  const char *dot = strrchr(path, '.');

  if (dot == NULL || strchr(dot, G_DIR_SEPARATOR) != NULL)
    return MS_IMAGE_FORMAT_AUTO;
  if (g_ascii_strcasecmp(dot, ".png") == 0)
    return MS_IMAGE_FORMAT_PNG;
  if (g_ascii_strcasecmp(dot, ".jpg") == 0 || g_ascii_strcasecmp(dot, ".jpeg") == 0 ||
      g_ascii_strcasecmp(dot, ".jpe") == 0)
    return MS_IMAGE_FORMAT_JPEG;
  return MS_IMAGE_FORMAT_AUTO;
}

/** ms_image_format_extension: what files of a format are named with, without the dot; %NULL for AUTO. */
const char *
ms_image_format_extension(MsImageFormat format)
{
  switch (format) {
  case MS_IMAGE_FORMAT_PNG:
    return "png";
  case MS_IMAGE_FORMAT_JPEG:
    return "jpg";
  default:
    return NULL;
  }
}
