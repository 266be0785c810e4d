/* SPDX-License-Identifier: MIT */
/* MsRowFile: an open image file whose rows are read in order. */
#pragma once

#include "core/image/common/row-reader.h"

typedef struct _MsRowFile MsRowFile;

/**
 * MsRowInput: the image file to read.
 * @path: of the file
 * @name: its name in messages
 * @content: (nullable): its bytes where they are in memory already, because a pipe cannot be opened again
 * @limits: larger images are refused
 */
typedef struct {
  const char *path;
  const char *name;
  GBytes *content;
  const MsImageLimits *limits;
} MsRowInput;

MsRowFile *ms_row_file_open(const MsRowInput *input, GCancellable *cancellable, GError **error);
MsImage *ms_row_file_load_scratch(const MsRowInput *input, MsScratchFile *scratch, GCancellable *cancellable,
                                  GError **error);
const char *ms_row_file_get_damage(MsRowFile *self);
const MsRowReader *ms_row_file_get_reader(MsRowFile *self);
gboolean ms_row_file_read(MsRowFile *self, guint8 *row, GError **error);
void ms_row_file_close(MsRowFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(MsRowFile, ms_row_file_close)
