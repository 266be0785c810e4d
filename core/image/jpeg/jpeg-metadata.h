/* SPDX-License-Identifier: MIT */
/* Reads the metadata of a JPEG header: EXIF, the colour profile and the resolution. */
#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "core/image/metadata/metadata.h"

void ms_jpeg_metadata_keep(struct jpeg_decompress_struct *cinfo, gboolean keep);
GBytes *ms_jpeg_metadata_exif(struct jpeg_decompress_struct *cinfo);
GBytes *ms_jpeg_metadata_xmp(struct jpeg_decompress_struct *cinfo);
MsMetadata *ms_jpeg_metadata(struct jpeg_decompress_struct *cinfo, gsize most_bytes);
