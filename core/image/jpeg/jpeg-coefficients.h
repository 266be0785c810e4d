/* SPDX-License-Identifier: MIT */
/* The coefficients of a JPEG file of several scans in temporary files, where libjpeg holds them all in memory. */
#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "core/image/file/scratch-file.h"

/**
 * MsJpegInput: libjpeg's source manager, extended by the fields that the arrays of coefficients need.
 * @scratch: where the arrays are
 * @error: (nullable): why an array could not be made, set before libjpeg reports that memory is missing
 */
typedef struct {
  struct jpeg_source_mgr manager;
  MsScratchFile *scratch;
  GError *error;
} MsJpegInput;

void ms_jpeg_coefficients_use_scratch(j_decompress_ptr cinfo);
