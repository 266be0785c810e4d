/* SPDX-License-Identifier: MIT */
/* Saves images: encodes them in any format of the table of codecs, and saves files atomically. */
#pragma once

#include "core/image/common/image-sink.h"

gboolean ms_image_save(MsImage *image, const char *path, const MsSaveOptions *options, MsSaveNotes *notes,
                       GCancellable *cancellable, GError **error);
GBytes *ms_image_encode(MsImage *image, const MsSaveOptions *options, MsSaveNotes *notes, GCancellable *cancellable,
                        GError **error);
