/* SPDX-License-Identifier: MIT */
/* Reads from an ICC profile's header whether it describes RGB pixels, and whether it is complete. */
#pragma once

#include <glib.h>

gboolean ms_icc_is_rgb(GBytes *profile);
gboolean ms_icc_is_sound(GBytes *profile);
