/* SPDX-License-Identifier: MIT */
/*
 * Formats that are read by modules of gdk-pixbuf, each picture in a confined process of its own (core/image/loader/):
 * this one neither links gdk-pixbuf nor depends on what a module does.
 */
#pragma once

#include "core/image/common/image-file.h"

/** MS_PIXBUF_LOADER_VARIABLE: the environment variable that names the program to start, where it is not installed. */
#define MS_PIXBUF_LOADER_VARIABLE "MEANSHIFT_LAB_LOADER"

/**
 * MS_PIXBUF_SECONDS_VARIABLE: the environment variable with the seconds that a decoder may be silent, and may compute;
 * by default 30 and 10, 3 and 1 for each MiB of the file, and 1 for each megapixel.
 */
#define MS_PIXBUF_SECONDS_VARIABLE "MEANSHIFT_LAB_LOADER_SECONDS"

extern const MsImageDecoder ms_pixbuf_decoder;

gboolean ms_pixbuf_has_module(const MsCodec *codec);
char *ms_pixbuf_describe(void);
