/* SPDX-License-Identifier: MIT */
/*
 * Opens image files of every format in the table of codecs, recognised by content, and reads them as a whole or row by
 * row. A file is opened once: its header says what it takes to read it before any pixel is allocated.
 */
#pragma once

#include "core/image/codec.h"

MsImageFile *ms_image_file_open(const char *path, const MsImageLimits *limits, GCancellable *cancellable,
                                GError **error);
MsImageFile *ms_image_file_open_fd(int fd, const char *name, const MsImageLimits *limits, GCancellable *cancellable,
                                   GError **error);
MsImageFile *ms_image_file_open_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits,
                                      GCancellable *cancellable, GError **error);
MsImage *ms_image_file_load(MsImageFile *self, GError **error);
MsImage *ms_image_file_load_preview(MsImageFile *self, GError **error);
gboolean ms_image_file_start_rows(MsImageFile *self, GError **error);
gboolean ms_image_file_rows(MsImageFile *self, guint8 *into, int n, GError **error);
const char *ms_image_file_get_damage(const MsImageFile *self);
void ms_image_file_close(MsImageFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsImageFile, ms_image_file_close)

MsImage *ms_image_load(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error);
MsImage *ms_image_load_bytes(GBytes *bytes, const char *name, const MsImageLimits *limits, GCancellable *cancellable,
                             GError **error);
gboolean ms_image_peek_size(const char *path, const MsImageLimits *limits, MsImageHeader *header, GError **error);
gboolean ms_image_drain_to_file(const char *path, int into, const MsImageLimits *limits, GCancellable *cancellable,
                                GError **error);
gboolean ms_image_is_stream(const char *path);
