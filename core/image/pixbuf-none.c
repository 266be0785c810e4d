/* SPDX-License-Identifier: MIT */
/* A build without gdk-pixbuf: the table of formats has none of its functions. */
#include "core/image/pixbuf.h"

gboolean
ms_pixbuf_has_module(const MsCodec *codec)
{
  return FALSE;
}

char *
ms_pixbuf_describe(void)
{
  return g_strdup("not in this build");
}
