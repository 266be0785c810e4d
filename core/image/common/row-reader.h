/* SPDX-License-Identifier: MIT */
/* MsRowReader: decodes the rows of an image file in order, one at a time. */
#pragma once

#include "core/image/common/image-source.h"

/**
 * MsRowReader: each format's decoder begins with this structure and sets its functions.
 * @width: pixels in a row
 * @height: rows
 * @has_alpha: whether a pixel may be transparent
 * @metadata: (transfer full): what is saved with the pixels
 * @bytes: working memory of the reader, where it is more than some rows
 * @read: writes the next row, width * 4 bytes of RGBA; after the last row it also reads the rest of the file
 * @close: frees the reader
 */
typedef struct _MsRowReader MsRowReader;
struct _MsRowReader {
  int width;
  int height;
  gboolean has_alpha;
  MsMetadata *metadata;
  guint64 bytes;
  gboolean (*read)(MsRowReader *self, guint8 *row, GError **error);
  void (*close)(MsRowReader *self);
};
