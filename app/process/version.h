/* SPDX-License-Identifier: MIT */
/* The text of --version: the program and the libraries that it runs with. */
#pragma once

#include <glib.h>

char *ms_version_text(void);
