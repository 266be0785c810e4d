/* SPDX-License-Identifier: MIT */
/* The build without Little CMS: no profile can be used, and every picture counts as sRGB. */
#include "core/image/colour/colour.h"

const char *
ms_colour_library_version(void)
{
  return NULL;
}

MsColour *
ms_colour_new(GBytes *from, MsColourPixels pixels, GBytes *to)
{
  return NULL;
}

void
ms_colour_free(MsColour *self)
{
}

void
ms_colour_convert(const MsColour *self, guint8 *pixels, gsize n)
{
}

gboolean
ms_colour_is_srgb(GBytes *icc)
{
  return icc == NULL;
}

gboolean
ms_colour_get_matrix(GBytes *icc, MsColourMatrix *matrix)
{
  return FALSE;
}

gboolean
ms_colour_has_tables(GBytes *icc)
{
  return FALSE;
}

gboolean
ms_colour_by_tables(GBytes *icc, gboolean to_lab, double (*colours)[3], gsize n)
{
  return FALSE;
}

GBytes *
ms_colour_grey_to_rgb(GBytes *icc)
{
  return NULL;
}

char *
ms_colour_dup_name(GBytes *icc)
{
  return NULL;
}
