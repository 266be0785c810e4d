/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-rows.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/json.h"
#include "core/text.h"
#include "ui/common/format.h"

/** ms_batch_rows_new: (transfer full): an empty list */
MsBatchRows *
ms_batch_rows_new(void)
{
  MsBatchRows *self = g_new0(MsBatchRows, 1);

  self->store =
    gtk_list_store_new(MS_BATCH_N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                       G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT, G_TYPE_STRING);
  self->iters = g_array_new(FALSE, FALSE, sizeof(GtkTreeIter));
  self->failures = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  return self;
}

void
ms_batch_rows_free(MsBatchRows *self)
{
  g_object_unref(self->store);
  g_array_unref(self->iters);
  g_hash_table_unref(self->failures);
  g_free(self);
}

void
ms_batch_rows_clear(MsBatchRows *self)
{
  gtk_list_store_clear(self->store);
  g_array_set_size(self->iters, 0);
  memset(self->counts, 0, sizeof self->counts);
  self->is_plan = FALSE;
}

/* A plan fails only for the names of results. */
static const char *
state_text(const MsBatchRows *self, MsItemStatus status)
{
  static const char *const texts[] = {N_("Waiting"), N_("✓ Done"), N_("✗ Failed"), N_("– Skipped")};

  return self->is_plan && status == MS_ITEM_FAILED ? _("⚠ Conflict") : _(texts[status]);
}

static void
add(MsBatchRows *self)
{
  GtkTreeIter iter;

  gtk_list_store_insert_with_values(self->store, &iter, -1, MS_BATCH_STATUS, MS_ITEM_PENDING, -1);
  g_array_append_val(self->iters, iter);
  self->counts[MS_ITEM_PENDING]++;
}

/* Sets the image of a row; whether it was that of the row before. */
static gboolean
set_input(MsBatchRows *self, GtkTreeIter *iter, const char *input)
{
  g_autofree char *name = g_filename_display_basename(input);
  g_autofree char *before = NULL;

  gtk_tree_model_get(GTK_TREE_MODEL(self->store), iter, MS_BATCH_INPUT, &before, -1);
  if (g_strcmp0(before, input) == 0)
    return TRUE;
  gtk_list_store_set(self->store, iter, MS_BATCH_INPUT, input, MS_BATCH_NAME, name, -1);
  return FALSE;
}

/* (transfer full) (nullable): a message that names an image by its file alone */
static char *
without_folder(const char *message, const char *input)
{
  if (!message || !input)
    return g_strdup(message);
  g_autofree char *name = g_path_get_basename(input);
  GString *text = g_string_new(message);
  g_string_replace(text, input, name, 0);
  return g_string_free(text, FALSE);
}

/*
 * Shows the state of an image in its row, which is added if it is the first that does not exist. An image that a run
 * skips since an earlier one has done it stays done.
 */
static void
take(MsBatchRows *self, const MsBatchEvent *update)
{
  g_autofree char *size = update->width > 0 ? g_strdup_printf("%d × %d", update->width, update->height) : g_strdup("");
  g_autofree char *time = update->kernel_ms > 0 ? ms_format_ms(update->kernel_ms) : g_strdup("");
  g_autofree char *message = update->shown ? ms_words_of_window(update->shown) : NULL;
  g_autofree char *reason = without_folder(message, update->input);
  g_autofree char *result = update->output ? g_filename_display_name(update->output) : NULL;
  const guint64 index = update->seq - 1;
  int before;

  if (index == self->iters->len)
    add(self);
  if (index >= self->iters->len)
    return;
  GtkTreeIter *iter = &g_array_index(self->iters, GtkTreeIter, index);
  gtk_tree_model_get(GTK_TREE_MODEL(self->store), iter, MS_BATCH_STATUS, &before, -1);
  if (update->input && set_input(self, iter, update->input) && before == MS_ITEM_DONE &&
      update->status == MS_ITEM_SKIPPED)
    return;
  self->counts[before]--;
  self->counts[update->status]++;
  gtk_list_store_set(self->store, iter, MS_BATCH_OUTPUT, update->output, MS_BATCH_STATE,
                     state_text(self, update->status), MS_BATCH_SIZE, size, MS_BATCH_TIME, time, MS_BATCH_MESSAGE,
                     message, MS_BATCH_RESULT, result, MS_BATCH_STATUS, (int)update->status, MS_BATCH_REASON, reason,
                     -1);
}

/** ms_batch_rows_take_event: @event: about an image, as the program writes it with --progress json */
void
ms_batch_rows_take_event(MsBatchRows *self, JsonObject *event)
{
  g_auto(MsBatchEvent) taken = {.item = NULL};

  ms_record_get(&ms_batch_event_record, &taken, event);
  take(self, &taken);
}

static int
status_at(MsBatchRows *self, guint index)
{
  int status;

  gtk_tree_model_get(GTK_TREE_MODEL(self->store), &g_array_index(self->iters, GtkTreeIter, index), MS_BATCH_STATUS,
                     &status, -1);
  return status;
}

/** ms_batch_rows_note_failures: before the images that failed are tried again. */
void
ms_batch_rows_note_failures(MsBatchRows *self)
{
  g_hash_table_remove_all(self->failures);
  for (guint i = 0; i < self->iters->len; i++) {
    char *message = NULL;
    if (self->is_plan || status_at(self, i) != MS_ITEM_FAILED)
      continue;
    gtk_tree_model_get(GTK_TREE_MODEL(self->store), &g_array_index(self->iters, GtkTreeIter, i), MS_BATCH_MESSAGE,
                       &message, -1);
    g_hash_table_insert(self->failures, GUINT_TO_POINTER(i), message);
  }
}

/** ms_batch_rows_restore_failures: after a run that did not come to all of them: those still have failed. */
void
ms_batch_rows_restore_failures(MsBatchRows *self)
{
  GHashTableIter iter;
  gpointer index, message;

  g_hash_table_iter_init(&iter, self->failures);
  while (g_hash_table_iter_next(&iter, &index, &message)) {
    g_autofree char *input = NULL;
    GtkTreeIter *row = &g_array_index(self->iters, GtkTreeIter, GPOINTER_TO_UINT(index));
    if (status_at(self, GPOINTER_TO_UINT(index)) != MS_ITEM_PENDING)
      continue;
    gtk_tree_model_get(GTK_TREE_MODEL(self->store), row, MS_BATCH_INPUT, &input, -1);
    g_autofree char *reason = without_folder(message, input);
    self->counts[MS_ITEM_PENDING]--;
    self->counts[MS_ITEM_FAILED]++;
    gtk_list_store_set(self->store, row, MS_BATCH_STATUS, (int)MS_ITEM_FAILED, MS_BATCH_STATE,
                       state_text(self, MS_ITEM_FAILED), MS_BATCH_MESSAGE, message, MS_BATCH_REASON, reason, -1);
  }
  g_hash_table_remove_all(self->failures);
}

/** ms_batch_rows_describe_failures: (transfer full): how many images failed, or would conflict */
char *
ms_batch_rows_describe_failures(const MsBatchRows *self)
{
  return g_strdup_printf(self->is_plan ? _("%u would conflict") : _("%u failed"), self->counts[MS_ITEM_FAILED]);
}

/**
 * ms_batch_rows_describe_outlook:
 * @outlook: (nullable): the plan of a batch with the present settings; %NULL while it is made
 *
 * Returns: (transfer full): what stands beside a batch that has run with other settings
 */
char *
ms_batch_rows_describe_outlook(const MsBatchRows *outlook)
{
  const guint *counts = outlook ? outlook->counts : NULL;

  if (!counts || counts[MS_ITEM_FAILED] == 0)
    return g_strdup(_("The settings have changed since this batch; Start filters the pictures with the new ones."));
  return g_strdup_printf(_("The settings have changed since this batch; with the new ones %u of %u pictures would "
                           "conflict with files that exist."),
                         counts[MS_ITEM_FAILED],
                         counts[MS_ITEM_DONE] + counts[MS_ITEM_FAILED] + counts[MS_ITEM_PENDING]);
}

/**
 * ms_batch_rows_describe:
 * @rate: images a second, 0 for unknown
 *
 * Returns: (transfer full): the states of the images in words, without the number of those that failed, for which the
 *   page has a button; "0 failed" if none did, or in a plan "0 would conflict"
 */
char *
ms_batch_rows_describe(const MsBatchRows *self, double rate)
{
  const guint *counts = self->counts;
  g_autofree char *left = rate > 0 ? ms_format_ms(counts[MS_ITEM_PENDING] / rate * 1e3) : NULL;
  g_autofree char *running = left ? g_strdup_printf(_(", %.1f images/s, %s left"), rate, left) : g_strdup("");
  g_autofree char *skipped =
    counts[MS_ITEM_SKIPPED] ? g_strdup_printf(_(", %u skipped"), counts[MS_ITEM_SKIPPED]) : g_strdup("");
  const char *none = self->is_plan ? _(", 0 would conflict") : _(", 0 failed");

  return g_strdup_printf(_("%u of %u done%s%s%s"), counts[MS_ITEM_DONE],
                         counts[MS_ITEM_DONE] + counts[MS_ITEM_FAILED] + counts[MS_ITEM_PENDING], running,
                         counts[MS_ITEM_FAILED] ? "" : none, skipped);
}
