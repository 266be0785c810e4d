/* SPDX-License-Identifier: MIT */
/* Conversion between MsImage and GdkPixbuf, for the clipboard and previews. */
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>

#include "core/image/common/image.h"

GdkPixbuf *ms_pixbuf_from_image(MsImage *image);
MsImage *ms_pixbuf_to_image(GdkPixbuf *pixbuf);
