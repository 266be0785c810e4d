/* SPDX-License-Identifier: MIT */
/*
 * MsMetadata: the data copied from an input file to its output besides the pixels: ICC profile, EXIF block,
 * resolution, place on the map; and what the program reads in them and in XMP packets, and patches where a picture is
 * turned upright.
 */
#pragma once

#include <glib-object.h>

#include "core/image/metadata/geo.h"

#define MS_TYPE_METADATA (ms_metadata_get_type())

/**
 * MsMetadata:
 * @icc: (nullable): the raw ICC profile
 * @exif: (nullable): the raw TIFF block of the EXIF data, without any "Exif\0\0" header, orientation already reset to 1
 * @x_pixels_per_metre: horizontal resolution, 0 when unknown
 * @y_pixels_per_metre: vertical resolution, 0 when unknown
 * @geo: (nullable): where the picture lies on the map
 *
 * Immutable and reference counted (boxed).
 */
typedef struct {
  GBytes *icc;
  GBytes *exif;
  guint32 x_pixels_per_metre;
  guint32 y_pixels_per_metre;
  MsGeo *geo;
} MsMetadata;

GType ms_metadata_get_type(void);
MsMetadata *ms_metadata_new(GBytes *icc, GBytes *exif, guint32 x_pixels_per_metre, guint32 y_pixels_per_metre);

#define MS_INCHES_PER_METRE (1 / 0.0254)

guint32 ms_pixels_per_metre(double value, double units);
void ms_metadata_take_geo(MsMetadata *self, MsGeo *geo);
MsMetadata *ms_metadata_ref(MsMetadata *self);
void ms_metadata_unref(MsMetadata *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsMetadata, ms_metadata_unref)

GBytes *ms_exif_new_resolution(guint32 x_pixels_per_metre, guint32 y_pixels_per_metre);
GBytes *ms_exif_without_prefix(GBytes *exif);
GBytes *ms_exif_make_upright(GBytes *exif, int *orientation);
int ms_exif_get_orientation(GBytes *exif);
gboolean ms_exif_get_resolution(GBytes *exif, guint32 *x_pixels_per_metre, guint32 *y_pixels_per_metre);
gboolean ms_icc_is_rgb(GBytes *profile);
gboolean ms_icc_is_sound(GBytes *profile);
int ms_xmp_get_orientation(GBytes *packet);
int ms_metadata_find_orientation(GBytes *exif, GBytes *xmp);
