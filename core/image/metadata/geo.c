/* SPDX-License-Identifier: MIT */
#include "core/image/metadata/geo.h"

#include <math.h>
#include <string.h>

/* The rows of the table, and keys and values of the key directory (OGC 19-008r4, GeoTIFF 1.1). */
enum { PIXEL_SCALE, TIEPOINT, TRANSFORMATION, KEY_DIRECTORY, DOUBLE_PARAMS, ASCII_PARAMS, GDAL_METADATA, GDAL_NO_DATA };
enum { RASTER_TYPE_KEY = 1025, GEODETIC_CRS_KEY = 2048, PROJECTED_CRS_KEY = 3072 };
enum { PIXEL_IS_POINT = 2, USER_DEFINED = 32767 };

/** ms_geo_tags: (array fixed-size=MS_GEO_N_TAGS): the tags that are copied from input to output. */
const MsGeoTag ms_geo_tags[MS_GEO_N_TAGS] = {
  [PIXEL_SCALE] = {33550, MS_GEO_DOUBLES, "ModelPixelScaleTag"},
  [TIEPOINT] = {33922, MS_GEO_DOUBLES, "ModelTiepointTag"},
  [TRANSFORMATION] = {34264, MS_GEO_DOUBLES, "ModelTransformationTag"},
  [KEY_DIRECTORY] = {34735, MS_GEO_SHORTS, "GeoKeyDirectoryTag"},
  [DOUBLE_PARAMS] = {34736, MS_GEO_DOUBLES, "GeoDoubleParamsTag"},
  [ASCII_PARAMS] = {34737, MS_GEO_TEXT, "GeoAsciiParamsTag"},
  [GDAL_METADATA] = {42112, MS_GEO_TEXT, "GDAL_METADATA"},
  [GDAL_NO_DATA] = {MS_GEO_NO_DATA, MS_GEO_TEXT, "GDAL_NODATA"},
};

/**
 * ms_geo_new:
 * @values: (transfer none): as in #MsGeo
 *
 * Returns: (transfer full) (nullable): %NULL where every tag is missing
 */
MsGeo *
ms_geo_new(GBytes *const values[MS_GEO_N_TAGS])
{
  MsGeo *self = NULL;

  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    if (values[i]) {
      self = self ? self : g_atomic_rc_box_new0(MsGeo);
      self->values[i] = g_bytes_ref(values[i]);
    }
  return self;
}

MsGeo *
ms_geo_ref(MsGeo *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void
clear(gpointer data)
{
  MsGeo *self = data;

  for (guint i = 0; i < MS_GEO_N_TAGS; i++)
    g_clear_pointer(&self->values[i], g_bytes_unref);
}

void
ms_geo_unref(MsGeo *self)
{
  g_atomic_rc_box_release_full(self, clear);
}

/* The numbers of a tag if there are at least @least, else %NULL. */
static const double *
get_doubles(const MsGeo *self, int tag, gsize least)
{
  gsize size = 0;
  const double *numbers = self->values[tag] ? g_bytes_get_data(self->values[tag], &size) : NULL;

  return size >= least * sizeof *numbers ? numbers : NULL;
}

/* The value that the directory itself holds for @key, 0 where it holds none. */
static guint16
get_key(const MsGeo *self, guint16 key)
{
  gsize size = 0;
  const guint16 *directory = self->values[KEY_DIRECTORY] ? g_bytes_get_data(self->values[KEY_DIRECTORY], &size) : NULL;

  /* After a header of four numbers, four for each key: key, tag of the value or 0 for none, count, value. */
  for (gsize i = 4; i + 4 <= size / sizeof *directory; i += 4)
    if (directory[i] == key && directory[i + 1] == 0)
      return directory[i + 3];
  return 0;
}

/**
 * ms_geo_get_transform:
 * @self: (nullable): %NULL for a picture that lies on no map
 * @coefficients: (out): the place on the map of the upper left corner of the pixel in column 0 and row 0, and its
 *   sides; without a place, columns and rows
 *
 * The transformation matrix comes first, then the first tie point with the scale. Where pixels are points, the tie
 * point is the centre of its pixel.
 */
void
ms_geo_get_transform(const MsGeo *self, double coefficients[MS_GEO_N_COEFFICIENTS])
{
  static const double pixels[MS_GEO_N_COEFFICIENTS] = {0, 1, 0, 0, 0, 1};
  const double *matrix = self ? get_doubles(self, TRANSFORMATION, 8) : NULL;
  const double *scale = self ? get_doubles(self, PIXEL_SCALE, 2) : NULL;
  const double *tie = self ? get_doubles(self, TIEPOINT, 6) : NULL;
  const double centre = self && get_key(self, RASTER_TYPE_KEY) == PIXEL_IS_POINT ? 0.5 : 0;
  double *c = coefficients;

  memcpy(c, pixels, sizeof pixels);
  if (matrix) {
    const double given[] = {matrix[3], matrix[0], matrix[1], matrix[7], matrix[4], matrix[5]};
    memcpy(c, given, sizeof given);
  } else if (scale && tie) {
    const double given[] = {tie[3] - tie[0] * scale[0], scale[0], 0, tie[4] + tie[1] * scale[1], 0, -scale[1]};
    memcpy(c, given, sizeof given);
  } else {
    return;
  }
  c[0] -= centre * (c[1] + c[2]);
  c[3] -= centre * (c[4] + c[5]);
}

/** ms_geo_has_place: @self: (nullable): whether it says more than which pixels have no data. */
gboolean
ms_geo_has_place(const MsGeo *self)
{
  for (guint i = 0; self && i < MS_GEO_N_TAGS; i++)
    if (self->values[i] && i != GDAL_NO_DATA)
      return TRUE;
  return FALSE;
}

/** ms_geo_new_no_data: (transfer full) (nullable): @text: (nullable): the value of GDAL_NODATA, the only one. */
MsGeo *
ms_geo_new_no_data(GBytes *text)
{
  return ms_geo_new((GBytes *const[MS_GEO_N_TAGS]){[GDAL_NO_DATA] = text});
}

/** ms_geo_get_no_data_text: (transfer none) (nullable): @self: (nullable): the value of GDAL_NODATA. */
GBytes *
ms_geo_get_no_data_text(const MsGeo *self)
{
  return self ? self->values[GDAL_NO_DATA] : NULL;
}

/**
 * ms_geo_get_no_data:
 * @self: (nullable)
 * @value: (out): the value that the red, green and blue of a pixel without data have
 *
 * Returns: whether there is such a value among those of 8 bits
 */
gboolean
ms_geo_get_no_data(const MsGeo *self, guint8 *value)
{
  gsize size = 0;
  const char *stored = self && self->values[GDAL_NO_DATA] ? g_bytes_get_data(self->values[GDAL_NO_DATA], &size) : NULL;
  g_autofree char *text = g_strndup(stored ? stored : "", size);
  char *end = text;
  const double number = g_ascii_strtod(text, &end);

  if (end == text || *g_strchug(end) != '\0' || !(number >= 0 && number <= G_MAXUINT8) || floor(number) != number)
    return FALSE;
  *value = (guint8)number;
  return TRUE;
}

/** ms_geo_get_epsg: @self: (nullable): the number of the coordinate system in the EPSG register, 0 where unknown. */
guint16
ms_geo_get_epsg(const MsGeo *self)
{
  const guint16 projected = self ? get_key(self, PROJECTED_CRS_KEY) : 0;
  const guint16 number = projected > 0 || !self ? projected : get_key(self, GEODETIC_CRS_KEY);

  return number == USER_DEFINED ? 0 : number;
}
