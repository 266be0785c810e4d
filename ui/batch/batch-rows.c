/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-rows.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "core/batch/inputs.h"
#include "core/json.h"
#include "core/path-text.h"
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

  self->store = gtk_list_store_new(MS_BATCH_N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                   G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT);
  self->iters = g_array_new(FALSE, FALSE, sizeof(GtkTreeIter));
  return self;
}

void
ms_batch_rows_free(MsBatchRows *self)
{
  ms_batch_rows_stop_listing(self);
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
                     MS_BATCH_SIZE, size, MS_BATCH_TIME, time, MS_BATCH_MESSAGE, message, MS_BATCH_STATUS,
                     (int)update->status, -1);
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

/** ms_batch_rows_describe: (transfer full): the states of the images in words; @rate: images a second, 0 for unknown */
char *
ms_batch_rows_describe(const MsBatchRows *self, double rate)
{
  const guint *counts = self->counts;
  g_autofree char *left = rate > 0 ? ms_format_ms(counts[MS_ITEM_PENDING] / rate * 1e3) : NULL;
  g_autofree char *running = left ? g_strdup_printf(_(", %.1f images/s, %s left"), rate, left) : g_strdup("");
  g_autofree char *skipped =
    counts[MS_ITEM_SKIPPED] ? g_strdup_printf(_(", %u skipped"), counts[MS_ITEM_SKIPPED]) : g_strdup("");

  return g_strdup_printf(_("%u of %u done%s, %u failed%s"), counts[MS_ITEM_DONE],
                         counts[MS_ITEM_DONE] + counts[MS_ITEM_FAILED] + counts[MS_ITEM_PENDING], running,
                         counts[MS_ITEM_FAILED], skipped);
}

/* Listing the pictures of a request, without planning it or writing anything */

/* A request is listed when it has not changed for this time, because text is typed letter by letter. */
#define DELAY_MS 200

/* Rows that are added in one turn of the main loop. */
#define ROWS_A_TURN 250

static void
add_row(MsBatchRows *self, const MsInput *input)
{
  const Update update = {.index = self->added,
                         .status = MS_ITEM_PENDING,
                         .input = input->path,
                         .message = input->problem ? input->problem->message : NULL};

  take(self, &update);
}

static gboolean
on_turn(gpointer data)
{
  MsBatchRows *self = data;
  const guint end = MIN(self->added + ROWS_A_TURN, self->found->len);

  for (; self->added < end; self->added++)
    add_row(self, self->found->pdata[self->added]);
  if (self->added < self->found->len)
    return G_SOURCE_CONTINUE;
  self->source = 0;
  g_clear_pointer(&self->found, g_ptr_array_unref);
  return G_SOURCE_REMOVE;
}

static void
on_found(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GPtrArray) found = g_task_propagate_pointer(G_TASK(result), NULL);
  MsBatchRows *self = data;

  /* After a cancellation, the rows may have been freed. */
  if (!found)
    return;
  g_clear_object(&self->cancellable);
  self->found = g_steal_pointer(&found);
  self->added = 0;
  self->source = g_idle_add(on_turn, self);
}

static void
find_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const MsBatchSpec *spec = data;
  const char *const *inputs = (const char *const *)spec->inputs;

  g_task_return_pointer(task, ms_inputs_expand(inputs, spec->recursive, FALSE, spec->output),
                        (GDestroyNotify)g_ptr_array_unref);
}

static gboolean
on_delay_over(gpointer data)
{
  MsBatchRows *self = data;

  self->source = 0;
  self->cancellable = g_cancellable_new();
  g_autoptr(GTask) task = g_task_new(NULL, self->cancellable, on_found, self);
  g_task_set_task_data(task, g_steal_pointer(&self->spec), (GDestroyNotify)ms_batch_spec_free);
  g_task_run_in_thread(task, find_in_thread);
  return G_SOURCE_REMOVE;
}

/** ms_batch_rows_list: lists the pictures of @spec (transfer full) after a short delay; replaces the last request. */
void
ms_batch_rows_list(MsBatchRows *self, MsBatchSpec *spec)
{
  ms_batch_rows_stop_listing(self);
  self->spec = spec;
  self->source = g_timeout_add(DELAY_MS, on_delay_over, self);
}

/** ms_batch_rows_stop_listing: adds no further row. */
void
ms_batch_rows_stop_listing(MsBatchRows *self)
{
  g_clear_handle_id(&self->source, g_source_remove);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->found, g_ptr_array_unref);
  g_clear_pointer(&self->spec, ms_batch_spec_free);
}
