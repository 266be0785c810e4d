/* SPDX-License-Identifier: MIT */
/* MsAtomicFile: a file that appears under its name only when it is complete. */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

typedef struct _MsAtomicFile MsAtomicFile;

MsAtomicFile *ms_atomic_file_open(const char *path, gboolean overwrite, GCancellable *cancellable, GError **error);
MsAtomicFile *ms_atomic_file_open_below(const char *folder, const char *path, gboolean overwrite,
                                        GCancellable *cancellable, GError **error);
gboolean ms_atomic_file_write(MsAtomicFile *self, const void *data, gsize size, GError **error);
gboolean ms_atomic_file_is_direct(const MsAtomicFile *self);
gboolean ms_atomic_file_rewrite(MsAtomicFile *self, guint64 offset, const void *data, gsize size, GError **error);
gboolean ms_atomic_file_identify(const MsAtomicFile *self, struct stat *info);
gboolean ms_atomic_file_commit(MsAtomicFile *self, GError **error);
void ms_atomic_file_free(MsAtomicFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsAtomicFile, ms_atomic_file_free)
