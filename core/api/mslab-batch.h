/* SPDX-License-Identifier: MIT */
/* MslabBatch: filters the images of files and folders. */
#pragma once

#include "mslab-engine.h"

G_BEGIN_DECLS

/**
 * MslabConflict:
 * @MSLAB_CONFLICT_FAIL: the image fails
 * @MSLAB_CONFLICT_SKIP: the image is skipped
 * @MSLAB_CONFLICT_UNIQUE: the output gets a number behind its name
 * @MSLAB_CONFLICT_OVERWRITE: the output is replaced; an input never is
 *
 * What happens where an output exists already.
 */
typedef enum {
  MSLAB_CONFLICT_FAIL,
  MSLAB_CONFLICT_SKIP,
  MSLAB_CONFLICT_UNIQUE,
  MSLAB_CONFLICT_OVERWRITE,
} MslabConflict;

/**
 * MslabOutcome:
 * @MSLAB_OUTCOME_DONE: filtered and saved
 * @MSLAB_OUTCOME_FAILED: nothing was saved
 * @MSLAB_OUTCOME_SKIPPED: there was nothing to do
 *
 * How an image of a batch ended.
 */
typedef enum {
  MSLAB_OUTCOME_DONE,
  MSLAB_OUTCOME_FAILED,
  MSLAB_OUTCOME_SKIPPED,
} MslabOutcome;

/**
 * MslabBatchFunc:
 * @input: (type filename): the file that was read
 * @output: (nullable) (type filename): the file that was written
 * @outcome: how the image ended
 * @message: (nullable): why it failed or was skipped
 * @user_data: as given to mslab_batch_run()
 *
 * The batch calls it once for each image, from any of its threads, but never from two at once.
 */
typedef void (*MslabBatchFunc)(const char *input, const char *output, MslabOutcome outcome, const char *message,
                               gpointer user_data);

#define MSLAB_TYPE_BATCH (mslab_batch_get_type())

G_DECLARE_FINAL_TYPE(MslabBatch, mslab_batch, MSLAB, BATCH, GObject)

MslabBatch *mslab_batch_new(const char *const *inputs, const char *output);
void mslab_batch_set_recursive(MslabBatch *self, gboolean recursive);
void mslab_batch_set_conflict(MslabBatch *self, MslabConflict conflict);
void mslab_batch_set_name_template(MslabBatch *self, const char *name_template);
gboolean mslab_batch_run(MslabBatch *self, MslabEngine *engine, MslabSettings *settings, MslabBatchFunc finished,
                         gpointer user_data, GCancellable *cancellable, GError **error);

G_END_DECLS
