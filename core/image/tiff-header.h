/* SPDX-License-Identifier: MIT */
/* Reads the first directory of a TIFF file and refuses the layouts that are not supported. */
#pragma once

#include "core/image/tiff-reader.h"

gboolean ms_tiff_header_read(MsTiffReader *self);
