/* SPDX-License-Identifier: MIT */
/* Reads the orientation from an XMP packet, where some programs write it instead of into EXIF data. */
#pragma once

#include <glib.h>

int ms_xmp_get_orientation(GBytes *packet);
