/* SPDX-License-Identifier: MIT */
/* The sentences that say why a file cannot be written. */
#pragma once

#include <glib.h>

void ms_write_error_set(GError **error, const char *name, int code);
void ms_write_error_set_exists(GError **error, const char *name);
