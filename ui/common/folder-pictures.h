/* SPDX-License-Identifier: MIT */
/* The pictures of a folder, in the order of file managers. */
#pragma once

#include <glib.h>

GPtrArray *ms_folder_pictures(const char *folder);
