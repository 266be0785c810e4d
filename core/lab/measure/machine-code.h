/* SPDX-License-Identifier: MIT */
/* Finds the machine code of a kernel in the binary of a program for a processor, and lists it by objdump. */
#pragma once

#include <gio/gio.h>

GBytes *ms_machine_code_find(GBytes *binary, const char *kernel, const gsize group[3]);
char *ms_machine_code_find_lister(void);
char *ms_machine_code_list(GBytes *code, const char *lister);
