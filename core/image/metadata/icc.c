/* SPDX-License-Identifier: MIT */
#include "core/image/metadata/icc.h"

#include <string.h>

#define HEADER_SIZE 128
#define LEAST_SIZE (HEADER_SIZE + 4) /* with a table of no tags */
#define VERSION 8
#define UNALIGNED_VERSION 3
#define COLOUR_SPACE 16
#define SIGNATURE 36

/**
 * ms_icc_is_rgb:
 * @profile: a raw ICC profile (ICC.1, header of 128 bytes)
 *
 * Returns: whether it is a profile whose colour space is RGB
 */
gboolean
ms_icc_is_rgb(GBytes *profile)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(profile, &size);

  return size > HEADER_SIZE && memcmp(data + COLOUR_SPACE, "RGB ", 4) == 0 && memcmp(data + SIGNATURE, "acsp", 4) == 0;
}

/**
 * ms_icc_is_sound:
 *
 * Returns: whether @profile has the size that its header states, in whole words from the fourth version on
 */
gboolean
ms_icc_is_sound(GBytes *profile)
{
  gsize size;
  const guint8 *data = g_bytes_get_data(profile, &size);
  guint32 stated;

  if (size < LEAST_SIZE)
    return FALSE;
  memcpy(&stated, data, sizeof stated);
  return GUINT32_FROM_BE(stated) == size && (size % sizeof stated == 0 || data[VERSION] <= UNALIGNED_VERSION);
}
