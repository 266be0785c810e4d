/* SPDX-License-Identifier: MIT */
/* Filters an image file that exceeds the memory: a job with a stream of rows from the file to whoever takes them. */
#pragma once

#include "core/batch/item.h"
#include "core/batch/stream-plan.h"
#include "core/engine/engine.h"
#include "core/image/image-io.h"

/**
 * MsStreamedFile:
 * @input: (transfer none): the image file, from which nothing else reads
 * @plan: how many rows are in memory
 * @scratch: (nullable) (transfer full): for a file whose rows are not stored in order; see ms_streamed_file_clear()
 * @image: (nullable) (transfer full): its pixels in @scratch, from ms_streamed_file_inspect()
 * @width: pixels in a row; from ms_streamed_file_inspect(), like the following
 * @height: rows
 * @is_opaque: whether every alpha is 255
 */
typedef struct {
  MsImageFile *input;
  MsStreamPlan plan;
  MsScratchFile *scratch;
  MsImage *image;
  int width;
  int height;
  gboolean is_opaque;
} MsStreamedFile;

/**
 * MsStreamedBand: the place of some rows in @image, of which those that can influence them are valid.
 * @coarser: (nullable): the serial reference's result of the level above, for a run that verifies settings with levels
 */
typedef struct {
  MsImage *image;
  MsImage *coarser;
  MsRegion region;
} MsStreamedBand;

/**
 * MsStreamedRun: the engine and settings of a streamed image, and the functions that get its rows and its progress.
 * @repeat: times the file is read and filtered; the last one is passed on
 * @progress: (nullable): gets the rows of the whole image
 * @item: gets the rows of decoding, and what the engine reports
 * @damage: (out) (nullable) (transfer full): what was damaged in a file that is accepted damaged
 * @verifies: whether @inspect compares with the serial reference
 * @inspect: (nullable): called with source and result of some rows, from top to bottom, on any thread
 * @take: (nullable): called with the same result behind @inspect
 * @data: for both
 */
typedef struct {
  MsEngine *engine;
  const MsSettings *settings;
  guint repeat;
  MsProgressFunc progress;
  gpointer progress_data;
  GCancellable *cancellable;
  MsBatchItem *item;
  char *damage;
  gboolean verifies;
  gboolean (*inspect)(MsImage *source, MsImage *result, const MsStreamedBand *band, gpointer data, GError **error);
  gboolean (*take)(MsImage *result, gpointer data, GError **error);
  gpointer data;
} MsStreamedRun;

void ms_streamed_file_clear(MsStreamedFile *self);
gboolean ms_streamed_file_inspect(MsStreamedFile *self, GError **error);
MsMetadata *ms_streamed_file_get_metadata(const MsStreamedFile *self);
gboolean ms_streamed_file_filter(const MsStreamedFile *self, MsStreamedRun *run, GError **error);
