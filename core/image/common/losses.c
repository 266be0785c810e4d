/* SPDX-License-Identifier: MIT */
#include "core/image/common/losses.h"

#include <glib/gi18n-lib.h>

/** ms_losses_note_geo: notes what of @geo (nullable) a file lacks that keeps neither a place nor values of pixels. */
void
ms_losses_note_geo(MsSaveNotes *notes, const MsGeo *geo, gboolean keeps_place)
{
  notes->geo_dropped = !keeps_place && ms_geo_has_place(geo);
  notes->no_data_dropped = !keeps_place && ms_geo_get_no_data_text(geo);
}

/* (transfer full) (nullable): that further pictures of the file were not read. */
static char *
describe_further(const MsImageHeader *read, MsLanguage language)
{
  if (read->n_images > 1)
    return g_strdup_printf(ms_text(language, "only the first of its %u images was read"), read->n_images);
  return read->has_more_images ? g_strdup(ms_text(language, "only the first of its images was read")) : NULL;
}

/**
 * ms_losses_describe:
 * @header: (nullable): of a file that was read
 * @notes: (nullable): of a file that was written
 * @name: of the file
 *
 * Returns: (transfer full) (nullable): a sentence on what is lost, %NULL when nothing is
 */
char *
ms_losses_describe(const MsImageHeader *header, const MsSaveNotes *notes, const char *name, MsLanguage language)
{
  const MsImageHeader read = header ? *header : (MsImageHeader){0};
  const MsSaveNotes written = notes ? *notes : (MsSaveNotes){FALSE};
  g_autofree char *bits =
    read.bits > 8 ? g_strdup_printf(ms_text(language, "its %d bits a sample were reduced to 8"), read.bits) : NULL;
  g_autofree char *further = describe_further(&read, language);
  const struct {
    gboolean is_lost;
    const char *clause;
  } rows[] = {
    {bits != NULL, bits},
    {further != NULL, further},
    {read.has_unread_exif, N_("its EXIF data were not read")},
    {read.has_damaged_rest, N_("a damaged part that no pixel depends on was left out")},
    {read.has_unread_alpha, N_("its transparency was not read")},
    {read.has_unread_channels, N_("its channels beside colours and transparency were not read")},
    {read.has_unread_place, N_("its place on the map was not kept, since it was turned upright")},
    {read.has_unread_no_data, N_("its value of pixels without data was not kept, since samples were converted")},
    {read.has_plain_cmyk, N_("its CMYK colours have no usable profile and were converted by a formula")},
    {written.alpha_flattened, N_("the format has no transparency, so the image was composed on white")},
    {written.icc_dropped, N_("the colour profile could not be kept")},
    {written.exif_dropped, N_("the EXIF data could not be kept")},
    {written.geo_dropped, N_("the place on the map could not be kept, which TIFF files hold")},
    {written.no_data_dropped, N_("the value of pixels without data could not be kept, which TIFF files hold")},
  };
  const char *clauses[G_N_ELEMENTS(rows)] = {NULL};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    clauses[i] = rows[i].is_lost ? ms_text(language, rows[i].clause) : NULL;
  return ms_text_about(language, name, clauses, G_N_ELEMENTS(clauses));
}
