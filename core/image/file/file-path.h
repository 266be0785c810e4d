/* SPDX-License-Identifier: MIT */
/* Finds the file that a path leads to, through links and different spellings, also where no file exists yet. */
#pragma once

#include <glib.h>

/** MsFileId: the identity of a file, whatever its name. */
typedef struct {
  guint64 device;
  guint64 inode;
} MsFileId;

gboolean ms_file_id_get(const char *path, MsFileId *id);
gboolean ms_file_id_equal(gconstpointer a, gconstpointer b);
GHashTable *ms_file_id_table_new(void);

char *ms_file_path_follow(const char *path);
char *ms_file_path_resolve(const char *path);
gboolean ms_file_path_is_same(const char *a, const char *b);
gboolean ms_file_path_is_kept(const char *path);
gboolean ms_file_path_is_standard(const char *path);
