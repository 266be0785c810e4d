/* SPDX-License-Identifier: MIT */
/* Creating the folder that a file is about to be written to. */
#pragma once

#include "core/error.h"

/** MS_FOLDER_PRIVATE: permissions of folders that only the user reads: caches and learned settings. */
#define MS_FOLDER_PRIVATE 0700

/** MS_FOLDER_SHARED: permissions of folders of results, reduced by the process's umask. */
#define MS_FOLDER_SHARED 0777

gboolean ms_folder_make(const char *path, int mode, GError **error);
gboolean ms_folder_make_parent(const char *file, int mode, GError **error);
