/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-rows.h"

#include <glib/gi18n-lib.h>

#include "ui/common/words.h"
#include "ui/common/format.h"

/** ms_batch_rows_new: (transfer full): an empty list */
MsBatchRows *
ms_batch_rows_new(void)
{
  MsBatchRows *self = g_new0(MsBatchRows, 1);

  self->store = gtk_list_store_new(MS_BATCH_N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                   G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT);
  self->iters = g_array_new(FALSE, FALSE, sizeof(GtkTreeIter));
  return self;
}

void
ms_batch_rows_free(MsBatchRows *self)
{
  g_object_unref(self->store);
  g_array_unref(self->iters);
  g_free(self);
}

void
ms_batch_rows_clear(MsBatchRows *self)
{
  gtk_list_store_clear(self->store);
  g_array_set_size(self->iters, 0);
  self->counts = (MsBatchCounts){0};
}

static guint *
counter(MsBatchRows *self, MsItemStatus status)
{
  switch (status) {
  case MS_ITEM_PENDING:
    return &self->counts.pending;
  case MS_ITEM_DONE:
    return &self->counts.done;
  case MS_ITEM_FAILED:
    return &self->counts.failed;
  case MS_ITEM_SKIPPED:
    return &self->counts.skipped;
  }
  g_return_val_if_reached(&self->counts.pending);
}

static const char *
state_text(MsItemStatus status)
{
  static const char *const texts[] = {N_("Waiting"), N_("✓ Done"), N_("✗ Failed"), N_("– Skipped")};

  return _(texts[status]);
}

static void
add(MsBatchRows *self, const MsBatchNews *news)
{
  g_autofree char *name = g_filename_display_basename(news->input);
  GtkTreeIter iter;

  gtk_list_store_insert_with_values(self->store, &iter, -1, MS_BATCH_INPUT, news->input, MS_BATCH_NAME, name,
                                    MS_BATCH_STATUS, MS_ITEM_PENDING, -1);
  g_array_append_val(self->iters, iter);
  self->counts.pending++;
}

/** ms_batch_rows_take: adds the image of @news if it is new, and shows its state. */
void
ms_batch_rows_take(MsBatchRows *self, const MsBatchNews *news)
{
  g_autofree char *size = news->width > 0 ? g_strdup_printf("%d × %d", news->width, news->height) : g_strdup("");
  g_autofree char *time = news->kernel_ms > 0 ? ms_format_ms(news->kernel_ms) : g_strdup("");
  g_autofree char *message = news->message ? ms_words_of_window(news->message) : NULL;
  int before;

  if (news->input)
    add(self, news);
  g_return_if_fail(news->index < self->iters->len);
  GtkTreeIter *iter = &g_array_index(self->iters, GtkTreeIter, news->index);
  gtk_tree_model_get(GTK_TREE_MODEL(self->store), iter, MS_BATCH_STATUS, &before, -1);
  --*counter(self, (MsItemStatus)before);
  ++*counter(self, news->status);
  gtk_list_store_set(self->store, iter, MS_BATCH_OUTPUT, news->output, MS_BATCH_STATE, state_text(news->status),
                     MS_BATCH_SIZE, size, MS_BATCH_TIME, time, MS_BATCH_MESSAGE, message, MS_BATCH_STATUS,
                     (int)news->status, -1);
}
