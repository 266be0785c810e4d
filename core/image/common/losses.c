/* SPDX-License-Identifier: MIT */
#include "core/image/common/losses.h"

#include "core/note.h"

/** ms_losses_note_geo: notes what of @geo (nullable) a file lacks that keeps neither a place nor values of pixels. */
void
ms_losses_note_geo(MsSaveNotes *notes, const MsGeo *geo, gboolean keeps_place)
{
  notes->geo_dropped = !keeps_place && ms_geo_has_place(geo);
  notes->no_data_dropped = !keeps_place && ms_geo_get_no_data_text(geo);
}

/**
 * ms_losses_note: adds to @notes what is lost.
 * @header: (nullable): of a file that was read
 * @saved: (nullable): of a file that was written
 * @name: of the file
 */
void
ms_losses_note(char **notes, const MsImageHeader *header, const MsSaveNotes *saved, const char *name)
{
  const MsImageHeader read = header ? *header : (MsImageHeader){0};
  const MsSaveNotes written = saved ? *saved : (MsSaveNotes){FALSE};
  g_autofree char *bits = g_strdup_printf("%d", read.bits);
  g_autofree char *n_images = g_strdup_printf("%u", read.n_images);
  const struct {
    gboolean is_lost;
    MsNote code;
    const char *detail;
  } losses[] = {
    {read.bits > 8, MS_NOTE_BITS, bits},
    {read.n_images > 1, MS_NOTE_IMAGES, n_images},
    {read.n_images <= 1 && read.has_more_images, MS_NOTE_MORE_IMAGES},
    {read.has_unread_exif, MS_NOTE_UNREAD_EXIF},
    {read.has_damaged_rest, MS_NOTE_DAMAGED_REST},
    {read.has_unread_alpha, MS_NOTE_UNREAD_ALPHA},
    {read.has_unread_channels, MS_NOTE_UNREAD_CHANNELS},
    {read.has_unread_place, MS_NOTE_UNREAD_PLACE},
    {read.has_unread_no_data, MS_NOTE_UNREAD_NO_DATA},
    {read.has_plain_cmyk, MS_NOTE_PLAIN_CMYK},
    {written.alpha_flattened, MS_NOTE_ALPHA_FLATTENED},
    {written.icc_dropped, MS_NOTE_ICC_DROPPED},
    {written.exif_dropped, MS_NOTE_EXIF_DROPPED},
    {written.geo_dropped, MS_NOTE_GEO_DROPPED},
    {written.no_data_dropped, MS_NOTE_NO_DATA_DROPPED},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(losses); i++)
    if (losses[i].is_lost)
      ms_note_add(notes, losses[i].code, name, losses[i].detail);
}

/** ms_losses_describe: (transfer full) (nullable): the same as a sentence, %NULL when nothing is lost. */
char *
ms_losses_describe(const MsImageHeader *header, const MsSaveNotes *saved, const char *name, MsLanguage language)
{
  g_autofree char *notes = NULL;

  ms_losses_note(&notes, header, saved, name);
  return ms_note_describe(notes, language);
}
