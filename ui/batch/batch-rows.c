/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-rows.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/json.h"
#include "core/text.h"
#include "ui/common/format.h"

/* The state of one image. */
typedef struct {
  guint index;
  MsItemStatus status;
  const char *input; /* (nullable): sets the image of the row */
  const char *output;
  const char *message;
  int width;
  int height;
  double kernel_ms;
} Update;

/** ms_batch_rows_new: (transfer full): an empty list */
MsBatchRows *
ms_batch_rows_new(void)
{
  MsBatchRows *self = g_new0(MsBatchRows, 1);

  self->store =
    gtk_list_store_new(MS_BATCH_N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                       G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT, G_TYPE_STRING);
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
  memset(self->counts, 0, sizeof self->counts);
}

static const char *
state_text(MsItemStatus status)
{
  static const char *const texts[] = {N_("Waiting"), N_("✓ Done"), N_("✗ Failed"), N_("– Skipped")};

  return _(texts[status]);
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
take(MsBatchRows *self, const Update *update)
{
  g_autofree char *size = update->width > 0 ? g_strdup_printf("%d × %d", update->width, update->height) : g_strdup("");
  g_autofree char *time = update->kernel_ms > 0 ? ms_format_ms(update->kernel_ms) : g_strdup("");
  g_autofree char *message = update->message ? ms_words_of_window(update->message) : NULL;
  g_autofree char *reason = without_folder(message, update->input);
  g_autofree char *result = update->output ? g_filename_display_name(update->output) : NULL;
  int before;

  if (update->index == self->iters->len)
    add(self);
  if (update->index >= self->iters->len)
    return;
  GtkTreeIter *iter = &g_array_index(self->iters, GtkTreeIter, update->index);
  gtk_tree_model_get(GTK_TREE_MODEL(self->store), iter, MS_BATCH_STATUS, &before, -1);
  if (update->input && set_input(self, iter, update->input) && before == MS_ITEM_DONE &&
      update->status == MS_ITEM_SKIPPED)
    return;
  self->counts[before]--;
  self->counts[update->status]++;
  gtk_list_store_set(self->store, iter, MS_BATCH_OUTPUT, update->output, MS_BATCH_STATE, state_text(update->status),
                     MS_BATCH_SIZE, size, MS_BATCH_TIME, time, MS_BATCH_MESSAGE, message, MS_BATCH_RESULT, result,
                     MS_BATCH_STATUS, (int)update->status, MS_BATCH_REASON, reason, -1);
}

static MsItemStatus
status_of(JsonObject *event)
{
  const char *name = ms_json_get_text(event, "status");

  for (MsItemStatus status = MS_ITEM_DONE; status <= MS_ITEM_SKIPPED; status++)
    if (g_strcmp0(name, ms_item_status_name(status)) == 0)
      return status;
  return MS_ITEM_PENDING;
}

/** ms_batch_rows_take_event: @event: about an image, as the program writes it with --progress json */
void
ms_batch_rows_take_event(MsBatchRows *self, JsonObject *event)
{
  const char *input = ms_json_get_text(event, "input"), *output = ms_json_get_text(event, "output");
  g_autofree char *input_path = input ? ms_path_from_text(input) : NULL;
  g_autofree char *output_path = output ? ms_path_from_text(output) : NULL;
  const double kernel_ms = ms_json_get_number(event, "kernel_ms");
  const Update update = {.index = (guint)(ms_json_get_integer(event, "seq") - 1),
                         .status = status_of(event),
                         .input = input_path,
                         .output = output_path,
                         .message = ms_json_get_text(event, "shown"),
                         .width = (int)ms_json_get_integer(event, "width"),
                         .height = (int)ms_json_get_integer(event, "height"),
                         .kernel_ms = kernel_ms > 0 ? kernel_ms : 0};

  take(self, &update);
}

/**
 * ms_batch_rows_describe:
 * @rate: images a second, 0 for unknown
 *
 * Returns: (transfer full): the states of the images in words, without the number of those that failed, for which the
 *   page has a button; "0 failed" if none did
 */
char *
ms_batch_rows_describe(const MsBatchRows *self, double rate)
{
  const guint *counts = self->counts;
  g_autofree char *left = rate > 0 ? ms_format_ms(counts[MS_ITEM_PENDING] / rate * 1e3) : NULL;
  g_autofree char *running = left ? g_strdup_printf(_(", %.1f images/s, %s left"), rate, left) : g_strdup("");
  g_autofree char *skipped =
    counts[MS_ITEM_SKIPPED] ? g_strdup_printf(_(", %u skipped"), counts[MS_ITEM_SKIPPED]) : g_strdup("");
  g_autofree char *failed = counts[MS_ITEM_FAILED] ? g_strdup("") : g_strdup_printf(_(", %u failed"), 0);

  return g_strdup_printf(_("%u of %u done%s%s%s"), counts[MS_ITEM_DONE],
                         counts[MS_ITEM_DONE] + counts[MS_ITEM_FAILED] + counts[MS_ITEM_PENDING], running, failed,
                         skipped);
}
