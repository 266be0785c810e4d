/* SPDX-License-Identifier: MIT */
/*
 * Memory for the pixels of large images.
 *
 * MsPixelMemory: memory that a freed image leaves to the next one of its size.
 * MsScratchFile: blocks of memory whose pages are in temporary files, for images that exceed the memory.
 * MsRowWindow: addresses for all rows of an image, of which only the rows in use take memory.
 */
#pragma once

#include "core/image/common/image.h"

typedef struct _MsPixelMemory MsPixelMemory;

MsPixelMemory *ms_pixel_memory_new(void);
void ms_pixel_memory_free(MsPixelMemory *self);
void ms_pixel_memory_set_keeps(MsPixelMemory *self, gboolean keeps);
gsize ms_pixel_memory_kept_bytes(MsPixelMemory *self);
GBytes *ms_pixel_memory_take(MsPixelMemory *self, int width, int height, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsPixelMemory, ms_pixel_memory_free)

/** MS_SCRATCH_STEP: bytes that are accessed before their pages are dropped from memory. */
#define MS_SCRATCH_STEP (G_GUINT64_CONSTANT(4) << 20)

typedef struct _MsScratchFile MsScratchFile;

int ms_scratch_file_create(const char *folder);
MsScratchFile *ms_scratch_file_new(const char *folder, const char *name);
MsScratchFile *ms_scratch_file_ref(MsScratchFile *self);
void ms_scratch_file_unref(MsScratchFile *self);
void *ms_scratch_file_map(MsScratchFile *self, gsize size, GError **error);
void ms_scratch_file_unmap(MsScratchFile *self, void *data);
void ms_scratch_file_touch(MsScratchFile *self, gsize bytes);
void ms_scratch_file_drop(MsScratchFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsScratchFile, ms_scratch_file_unref)

typedef struct _MsRowWindow MsRowWindow;

MsRowWindow *ms_row_window_new(int width, int height, GError **error);
GBytes *ms_row_window_get_bytes(MsRowWindow *self);
gboolean ms_row_window_hold(MsRowWindow *self, int end, GError **error);
guint8 *ms_row_window_get_row(MsRowWindow *self, int y);
void ms_row_window_drop(MsRowWindow *self, int end);
void ms_row_window_free(MsRowWindow *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsRowWindow, ms_row_window_free)
