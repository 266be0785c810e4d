/* SPDX-License-Identifier: MIT */
/*
 * MsThumbnails: small pictures of image files, decoded in threads at the first request; and the pictures of a folder,
 * in the order of file managers.
 */
#pragma once

#include <gtk/gtk.h>

#define MS_TYPE_THUMBNAILS (ms_thumbnails_get_type())
/* Signal: "loaded" (const char *path): ms_thumbnails_get() returns the thumbnail of this file now. */
G_DECLARE_FINAL_TYPE(MsThumbnails, ms_thumbnails, MS, THUMBNAILS, GObject)

GdkPixbuf *ms_thumbnail_load(const char *path, int width, int height, guint64 most_pixels);
void ms_thumbnail_show(GtkImage *image, GdkPixbuf *thumbnail);

MsThumbnails *ms_thumbnails_new(int width, int height);
GdkPixbuf *ms_thumbnails_get(MsThumbnails *self, const char *path);
void ms_thumbnails_show(MsThumbnails *self, GtkImage *image, const char *path);

GPtrArray *ms_folder_pictures(const char *folder);
