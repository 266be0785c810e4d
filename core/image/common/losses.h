/* SPDX-License-Identifier: MIT */
/* What is lost where a picture is read, converted or written: one table of sentences for every way to do so. */
#pragma once

#include "core/image/common/image-file.h"
#include "core/image/image-save.h"

void ms_losses_note_geo(MsSaveNotes *notes, const MsGeo *geo, gboolean keeps_place);
char *ms_losses_describe(const MsImageHeader *header, const MsSaveNotes *notes, const char *name, MsLanguage language);
