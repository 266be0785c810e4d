/* SPDX-License-Identifier: MIT */
/*
 * MsPicture: an image, or the difference of two, prepared for drawing: reduced copies and extraction of the visible
 * part.
 */
#pragma once

#include <cairo.h>
#include <gdk-pixbuf/gdk-pixbuf.h>

#include "core/image/colour/colour.h"
#include "core/image/common/image.h"

#define MS_TYPE_PICTURE (ms_picture_get_type())
/* Signal: "prepared" (): the reduced copies are ready. */
G_DECLARE_FINAL_TYPE(MsPicture, ms_picture, MS, PICTURE, GObject)

MsPicture *ms_picture_new(MsImage *image);
MsPicture *ms_picture_new_difference(MsImage *a, MsImage *b);
gboolean ms_picture_shows(MsPicture *self, MsImage *a, MsImage *b);
void ms_picture_prepare(MsPicture *self);
void ms_picture_abandon(MsPicture *self);
gboolean ms_picture_is_prepared(MsPicture *self);
gboolean ms_picture_is_opaque(MsPicture *self);
MsImage *ms_picture_get_image(MsPicture *self);
int ms_picture_get_width(MsPicture *self);
int ms_picture_get_height(MsPicture *self);
int ms_picture_level_for_zoom(MsPicture *self, double zoom);
cairo_surface_t *ms_picture_extract(MsPicture *self, int level, const MsRegion *region, int gain,
                                    const MsColour *colours);

/* Conversion between MsImage and GdkPixbuf, for the clipboard and previews. */
GdkPixbuf *ms_pixbuf_from_image(MsImage *image);
GdkPixbuf *ms_pixbuf_for_others(MsImage *image);
MsImage *ms_pixbuf_to_image(GdkPixbuf *pixbuf);
