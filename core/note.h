/* SPDX-License-Identifier: MIT */
/*
 * Notes: what people should know of a file beside its result. A note is a code with what it is about; it becomes a
 * sentence, in the language of its reader, where somebody reads it.
 */
#pragma once

#include "core/language.h"

/** MsNote: the first ones are clauses on what a file lacks, of which those on one file make one sentence. */
typedef enum {
  MS_NOTE_BITS,
  MS_NOTE_IMAGES,
  MS_NOTE_MORE_IMAGES,
  MS_NOTE_UNREAD_EXIF,
  MS_NOTE_DAMAGED_REST,
  MS_NOTE_UNREAD_ALPHA,
  MS_NOTE_UNREAD_CHANNELS,
  MS_NOTE_UNREAD_PLACE,
  MS_NOTE_UNREAD_NO_DATA,
  MS_NOTE_PLAIN_CMYK,
  MS_NOTE_ALPHA_FLATTENED,
  MS_NOTE_ICC_DROPPED,
  MS_NOTE_EXIF_DROPPED,
  MS_NOTE_GEO_DROPPED,
  MS_NOTE_NO_DATA_DROPPED,
  MS_NOTE_LAST_CLAUSE = MS_NOTE_NO_DATA_DROPPED,
  MS_NOTE_DAMAGED,
  MS_NOTE_SHORTENED,
  MS_NOTE_SCRATCH,
  MS_NOTE_PROFILE,
  MS_NOTE_RETRIED,
} MsNote;

void ms_note_add(char **notes, MsNote code, const char *name, const char *detail);
void ms_note_add_error(char **notes, MsNote code, const char *name, const GError *error);
char *ms_note_describe(const char *notes, MsLanguage language);
gboolean ms_note_is_only(const char *notes, MsNote code);
