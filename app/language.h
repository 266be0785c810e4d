/* SPDX-License-Identifier: MIT */
/* The language of messages, tables and charts. */
#pragma once

#include <glib.h>

void ms_language_init(void);
void ms_language_choose_fonts(void);
