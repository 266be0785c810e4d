/* SPDX-License-Identifier: MIT */
/* MslabImage: an immutable image of 8-bit R, G, B, A samples. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define MSLAB_TYPE_IMAGE (mslab_image_get_type())

G_DECLARE_FINAL_TYPE(MslabImage, mslab_image, MSLAB, IMAGE, GObject)

MslabImage *mslab_image_new(GBytes *pixels, int width, int height, gsize stride, int channels, GError **error);
MslabImage *mslab_image_load(const char *path, GCancellable *cancellable, GError **error);
gboolean mslab_image_save(MslabImage *self, const char *path, GCancellable *cancellable, GError **error);
int mslab_image_get_width(MslabImage *self);
int mslab_image_get_height(MslabImage *self);
GBytes *mslab_image_get_pixels(MslabImage *self);
void mslab_image_copy_rows(MslabImage *self, guint8 *rows, gsize stride, int channels);

G_END_DECLS
