/* SPDX-License-Identifier: MIT */
/* The image file formats by number; core/image/codec.c has one row for each. */
#pragma once

/**
 * MsImageFormat:
 * @MS_IMAGE_FORMAT_AUTO: when saving, the format of the file name's extension; as a result, no known format
 * @MS_IMAGE_FORMAT_PNG: Portable Network Graphics
 * @MS_IMAGE_FORMAT_JPEG: JPEG in a JFIF, EXIF or Adobe file
 * @MS_IMAGE_FORMAT_TIFF: Tagged Image File Format, BigTIFF included
 * @MS_IMAGE_FORMAT_WEBP: a still WebP image
 */
typedef enum {
  MS_IMAGE_FORMAT_AUTO,
  MS_IMAGE_FORMAT_PNG,
  MS_IMAGE_FORMAT_JPEG,
  MS_IMAGE_FORMAT_TIFF,
  MS_IMAGE_FORMAT_WEBP,
} MsImageFormat;

/** MS_IMAGE_FORMAT_DEFAULT: the output format if neither a name nor an option sets one; every build has it. */
#define MS_IMAGE_FORMAT_DEFAULT MS_IMAGE_FORMAT_PNG
