/* SPDX-License-Identifier: MIT */
/* Loads a picture on another thread and reports its progress, with a preview of a large one first. */
#pragma once

#include <gtk/gtk.h>

#include "core/image/common/image.h"

/**
 * MsPictureLoadRequest:
 * @window: the source of the result
 * @rows: shows an #MsLoadRow while a long load runs
 * @max_pixels: a larger picture is refused
 */
typedef struct {
  GtkWidget *window;
  GtkContainer *rows;
  GFile *file;
  guint64 max_pixels;
} MsPictureLoadRequest;

void ms_picture_load_async(const MsPictureLoadRequest *request, GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data);
MsImage *ms_picture_load_finish(GAsyncResult *result, GFile **file, char **losses, GError **error);
