/* SPDX-License-Identifier: MIT */
/*
 * MsBatchRows: the list of images on the page Batch: a list store, and counts of how many images are in which state. It
 * is filled by what the program reports.
 */
#pragma once

#include <gtk/gtk.h>
#include <json-glib/json-glib.h>

#include "core/batch/event.h"

/** MsBatchColumn: columns of the store; all but MS_BATCH_STATUS are strings. */
typedef enum {
  MS_BATCH_INPUT,
  MS_BATCH_OUTPUT,
  MS_BATCH_NAME,
  MS_BATCH_STATE,
  MS_BATCH_SIZE,
  MS_BATCH_TIME,
  MS_BATCH_MESSAGE,
  MS_BATCH_RESULT,
  MS_BATCH_STATUS,
  MS_BATCH_REASON, /* the message without the folder of the image, which its row names: two lines have room for it */
  MS_BATCH_N_COLUMNS,
} MsBatchColumn;

typedef struct {
  GtkListStore *store;
  GArray *iters;                     /* GtkTreeIter of every image, by index; iters of a list store persist */
  guint counts[MS_ITEM_SKIPPED + 1]; /* of images, by their status */
  gboolean is_plan;                  /* nothing was run: what is called failed would conflict */
  GHashTable *failures;              /* index -> message of the images that are tried again */
} MsBatchRows;

MsBatchRows *ms_batch_rows_new(void);
void ms_batch_rows_free(MsBatchRows *self);
void ms_batch_rows_clear(MsBatchRows *self);
void ms_batch_rows_take_event(MsBatchRows *self, JsonObject *event);
void ms_batch_rows_note_failures(MsBatchRows *self);
void ms_batch_rows_restore_failures(MsBatchRows *self);
char *ms_batch_rows_describe(const MsBatchRows *self, double rate);
char *ms_batch_rows_describe_failures(const MsBatchRows *self);
char *ms_batch_rows_describe_outlook(const MsBatchRows *outlook);
