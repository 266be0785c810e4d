/* SPDX-License-Identifier: MIT */
/* MsScratchFile: blocks of memory whose pages are in temporary files, for images that exceed the memory. */
#pragma once

#include <glib.h>

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
