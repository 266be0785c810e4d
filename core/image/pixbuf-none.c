/* SPDX-License-Identifier: MIT */
/* A build without gdk-pixbuf reads none of these formats. */
#include "core/image/pixbuf.h"

#include "core/error.h"
#include "core/image/codec.h"

static void
refuse_to_open(MsImageFile *file)
{
  ms_set_error(&file->error, MS_ERROR_UNSUPPORTED,
               "'%s' has the format %s, which this build, without gdk-pixbuf, does not read; convert it to PNG.",
               file->name, file->codec->title);
}

static void
close_nothing(MsImageFile *file)
{
}

const MsImageDecoder ms_pixbuf_decoder = {.open = refuse_to_open, .close = close_nothing};

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
