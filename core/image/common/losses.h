/* SPDX-License-Identifier: MIT */
/* What is lost where a picture is read, converted or written: one table for every way to do so. */
#pragma once

#include "core/image/common/image-file.h"
#include "core/language.h"

/**
 * MsSaveNotes: what the file format could not store, for the caller to report.
 * @alpha_flattened: the image was composited on white, since the format has no transparency
 * @icc_dropped: the profile is larger than the format allows, or broken
 * @exif_dropped: the EXIF block is larger than the format allows, or the format has none
 * @geo_dropped: the format has no place on a map
 * @no_data_dropped: the format has no value of pixels without data
 */
typedef struct {
  gboolean alpha_flattened;
  gboolean icc_dropped;
  gboolean exif_dropped;
  gboolean geo_dropped;
  gboolean no_data_dropped;
} MsSaveNotes;

void ms_losses_note_geo(MsSaveNotes *notes, const MsGeo *geo, gboolean keeps_place);
void ms_losses_note(char **notes, const MsImageHeader *header, const MsSaveNotes *saved, const char *name);
char *ms_losses_describe(const MsImageHeader *header, const MsSaveNotes *saved, const char *name, MsLanguage language);
