/* SPDX-License-Identifier: MIT */
/* Folders that files are about to be written to: whether they can be, making and removing them. */
#pragma once

#include "core/error.h"

/** MS_FOLDER_PRIVATE: permissions of folders that only the user reads: caches and learned settings. */
#define MS_FOLDER_PRIVATE 0700

/** MS_FOLDER_SHARED: permissions of folders of results, reduced by the process's umask. */
#define MS_FOLDER_SHARED 0777

char *ms_folder_find_existing(const char *path);
gboolean ms_folder_is_writable(const char *path);
gboolean ms_folder_make(const char *path, int mode, GError **error);
gboolean ms_folder_make_parent(const char *file, int mode, GError **error);
gboolean ms_folder_make_durable(const char *path, char **topmost, GError **error);
void ms_folder_remove_empty(const char *path, const char *topmost);
