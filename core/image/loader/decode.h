/* SPDX-License-Identifier: MIT */
/* MsDecoder: decodes one picture by gdk-pixbuf. */
#pragma once

#include <gdk-pixbuf/gdk-pixbuf.h>

/**
 * MsDecodeSize: called once, as soon as the size of the picture is known.
 * @n_images: in the file; 0 for several of unknown number
 *
 * Returns: whether it is decoded
 */
typedef gboolean (*MsDecodeSize)(int width, int height, guint n_images, gpointer data);

typedef struct _MsDecoder MsDecoder;

MsDecoder *ms_decoder_new(const char *mime_type, MsDecodeSize announce, gpointer data, GError **error);
void ms_decoder_free(MsDecoder *self);
GdkPixbuf *ms_decoder_run(MsDecoder *self, const guint8 *bytes, gsize size, char **damage, GError **error);
void ms_decode_copy(GdkPixbuf *pixbuf, guint8 *rgba);
guint ms_decode_get_orientation(GdkPixbuf *pixbuf);
GBytes *ms_decode_get_profile(GdkPixbuf *pixbuf, gsize most);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsDecoder, ms_decoder_free)
