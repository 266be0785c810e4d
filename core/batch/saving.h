/* SPDX-License-Identifier: MIT */
/* MsSaving: the result of an item on its way to the output, which appears only when it is complete. */
#pragma once

#include "core/batch/stages.h"

/**
 * MsSaving:
 * @work: whose item gets the name, the notes and the time
 * @options: as the item has them
 * @folder: (nullable): the folder of the batch above the output, which @place is about
 * @writer: (nullable): of a file that has begun
 * @wanted: the name before it was numbered; @number: of it
 * @us: spent on encoding
 */
typedef struct {
  MsBatchImage *work;
  MsSaveOptions options;
  char *folder;
  MsAtomicPlace place;
  MsImageWriter *writer;
  char *wanted;
  guint number;
  gint64 us;
} MsSaving;

MsSaveOptions ms_saving_options(const MsBatchImage *work);
void ms_saving_init(MsSaving *self, MsBatchImage *work);
void ms_saving_clear(MsSaving *self);
gboolean ms_saving_begin(MsSaving *self, const MsImageFrame *frame, GError **error);
gboolean ms_saving_rows(MsSaving *self, MsImage *rows, GError **error);
gboolean ms_saving_end(MsSaving *self, GError **error);
gboolean ms_saving_to_stream(MsSaving *self, GError **error);
