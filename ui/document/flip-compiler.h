/* SPDX-License-Identifier: MIT */
/*
 * Compiles, at idle priority, the programs that one flip of a toggle would need, so that the first flip costs its
 * kernel only. A process of its own compiles: a compiler cannot be interrupted, and some drivers let no kernel start
 * meanwhile, so no request may wait for it. What it compiles, the caches of this program and of the driver keep.
 */
#pragma once

#include "ui/document/document.h"

/** MS_FLIP_COMPILER_NICE: the priority of the process that compiles, the lowest. */
#define MS_FLIP_COMPILER_NICE 19

void ms_flip_compiler_attach(MsWindowEngine *engine, int nice);
void ms_flip_compiler_detach(MsWindowEngine *engine);
void ms_flip_compiler_start(MsDocument *document);
gboolean ms_flip_compiler_is_busy(MsWindowEngine *engine);
gboolean ms_flip_compiler_must_compile(MsDocument *document);
gboolean ms_flip_compiler_is_on_battery(const char *folder);
