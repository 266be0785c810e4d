/* SPDX-License-Identifier: MIT */
/* MsBatchRows: the list of images on the page Batch: a list store, and counts of how many images are in which state. */
#pragma once

#include <gtk/gtk.h>

#include <json-glib/json-glib.h>

#include "core/batch/item.h"

/** MsBatchUpdate: the state of one image. @input: (nullable): sets the image of the row */
typedef struct {
  guint index;
  MsItemStatus status;
  char *input;
  char *output;
  char *message;
  int width;
  int height;
  double kernel_ms;
} MsBatchUpdate;

/** MsBatchColumn: columns of the store; all but MS_BATCH_STATUS are strings. */
typedef enum {
  MS_BATCH_INPUT,
  MS_BATCH_OUTPUT,
  MS_BATCH_NAME,
  MS_BATCH_STATE,
  MS_BATCH_SIZE,
  MS_BATCH_TIME,
  MS_BATCH_MESSAGE,
  MS_BATCH_STATUS,
  MS_BATCH_N_COLUMNS,
} MsBatchColumn;

typedef struct {
  GtkListStore *store;
  GArray *iters; /* GtkTreeIter of every image, by index; iters of a list store persist */
  MsBatchCounts counts;
} MsBatchRows;

MsBatchRows *ms_batch_rows_new(void);
void ms_batch_rows_free(MsBatchRows *self);
void ms_batch_rows_clear(MsBatchRows *self);
void ms_batch_rows_take(MsBatchRows *self, const MsBatchUpdate *update);
void ms_batch_rows_take_event(MsBatchRows *self, JsonObject *event);
char *ms_batch_rows_describe(const MsBatchRows *self, double rate);
