/* SPDX-License-Identifier: MIT */
/* Reads the whole content of a pipe, whose bytes can be read only once. */
#pragma once

#include "core/image/common/image-source.h"

GBytes *ms_image_drain_fd(int fd, const char *name, const MsImageLimits *limits, GCancellable *cancellable,
                          GError **error);
GBytes *ms_image_drain(const char *path, const MsImageLimits *limits, GCancellable *cancellable, GError **error);
GBytes *ms_image_source_drain(MsImageSource *source, GError **error);
gboolean ms_image_drain_to_file(const char *path, int into, const MsImageLimits *limits, GCancellable *cancellable,
                                GError **error);
gboolean ms_image_is_stream(const char *path);
