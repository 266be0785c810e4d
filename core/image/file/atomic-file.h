/* SPDX-License-Identifier: MIT */
/* MsAtomicFile: a file that appears under its name only when it is complete. */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/image/file/file-path.h"

typedef struct _MsAtomicFile MsAtomicFile;

/**
 * MsAtomicPlace: the folder of the outputs of a batch.
 * @folder: its path
 * @id: what was there when the batch began, so that no other folder gets outputs; zeros for any
 * @follow_links: whether links below it are followed
 */
typedef struct {
  const char *folder;
  MsFileId id;
  gboolean follow_links;
} MsAtomicPlace;

int ms_atomic_place_hold(MsAtomicPlace *self);

MsAtomicFile *ms_atomic_file_open(const char *path, gboolean overwrite, GCancellable *cancellable, GError **error);
MsAtomicFile *ms_atomic_file_open_waiting(const char *path, gboolean overwrite, const MsStreamWait *wait,
                                          GCancellable *cancellable, GError **error);
MsAtomicFile *ms_atomic_file_open_below(const MsAtomicPlace *place, const char *path, gboolean overwrite,
                                        GCancellable *cancellable, GError **error);
gboolean ms_atomic_file_save(const MsAtomicPlace *place, const char *path, const void *data, gsize size,
                             GError **error);
gboolean ms_atomic_file_save_own(const char *path, const char *text, GError **error);
gboolean ms_atomic_file_write(MsAtomicFile *self, const void *data, gsize size, GError **error);
gboolean ms_atomic_file_is_direct(const MsAtomicFile *self);
gboolean ms_atomic_file_rewrite(MsAtomicFile *self, guint64 offset, const void *data, gsize size, GError **error);
gboolean ms_atomic_file_finish(MsAtomicFile *self, struct stat *info, GError **error);
gboolean ms_atomic_file_commit(MsAtomicFile *self, GError **error);
gboolean ms_atomic_file_set_path(MsAtomicFile *self, const char *path, GError **error);
void ms_atomic_file_free(MsAtomicFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsAtomicFile, ms_atomic_file_free)
