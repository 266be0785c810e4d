/* SPDX-License-Identifier: MIT */
/* Text files of a person's choice, which may be pipes or devices without an end. */
#pragma once

#include <gio/gio.h>

char *ms_file_text_load(const char *path, gsize limit, gsize *length, GError **error);
