/* SPDX-License-Identifier: MIT */
/* MsGeo: where a picture lies on the map: the tags of GeoTIFF and GDAL as TIFF files hold them, and what they mean. */
#pragma once

#include <glib.h>

#define MS_GEO_N_TAGS 8

/** MS_GEO_FIRST_OF_GDAL: the number of the first tag that describes values and not a place. */
#define MS_GEO_FIRST_OF_GDAL 42112

/** MS_GEO_NO_DATA: the number of the tag with the value of pixels without data. */
#define MS_GEO_NO_DATA 42113

/** MsGeoType: of the values of a tag. */
typedef enum {
  MS_GEO_SHORTS,
  MS_GEO_DOUBLES,
  MS_GEO_TEXT,
} MsGeoType;

/** MsGeoTag: a row of the table of tags: its number in TIFF files, and its name in the specification. */
typedef struct {
  guint16 number;
  MsGeoType type;
  const char *name;
} MsGeoTag;

extern const MsGeoTag ms_geo_tags[MS_GEO_N_TAGS];

/**
 * MsGeo:
 * @values: for each row of #ms_geo_tags, its values in the byte order of this machine; %NULL for a tag that is missing
 *
 * Immutable and reference counted.
 */
typedef struct {
  GBytes *values[MS_GEO_N_TAGS];
} MsGeo;

/** MS_GEO_N_COEFFICIENTS: x = c[0] + column c[1] + row c[2] and y = c[3] + column c[4] + row c[5], as in GDAL. */
#define MS_GEO_N_COEFFICIENTS 6

MsGeo *ms_geo_new(GBytes *const values[MS_GEO_N_TAGS]);
MsGeo *ms_geo_ref(MsGeo *self);
void ms_geo_unref(MsGeo *self);

void ms_geo_get_transform(const MsGeo *self, double coefficients[MS_GEO_N_COEFFICIENTS]);
gboolean ms_geo_has_place(const MsGeo *self);
MsGeo *ms_geo_new_no_data(GBytes *text);
GBytes *ms_geo_get_no_data_text(const MsGeo *self);
gboolean ms_geo_get_no_data(const MsGeo *self, guint8 *value);

/** ms_pixel_lacks_data: whether a pixel has no data, in an image with that @value of ms_geo_get_no_data(). */
static inline gboolean
ms_pixel_lacks_data(const guint8 *pixel, guint8 value)
{
  return pixel[0] == value && pixel[1] == value && pixel[2] == value;
}

guint16 ms_geo_get_epsg(const MsGeo *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsGeo, ms_geo_unref)
