/* SPDX-License-Identifier: MIT */
#include "ui/batch/batch-listing.h"

#include "core/batch/inputs.h"

/* A request is listed when it has not changed for this time, because text is typed letter by letter. */
#define DELAY_MS 200

/* Rows that are added in one turn of the main loop. */
#define ROWS_A_TURN 250

struct _MsBatchListing {
  MsBatchRows *rows;
  MsBatchSpec *spec;         /* (nullable): of the request */
  GCancellable *cancellable; /* (nullable): while inputs are being found */
  GPtrArray *found;          /* (nullable) (element-type MsInput): while rows are added */
  guint added;
  guint source; /* the delay, or the next turn */
};

/** ms_batch_listing_new: (transfer full): @rows must outlive it. */
MsBatchListing *
ms_batch_listing_new(MsBatchRows *rows)
{
  MsBatchListing *self = g_new0(MsBatchListing, 1);

  self->rows = rows;
  return self;
}

void
ms_batch_listing_free(MsBatchListing *self)
{
  ms_batch_listing_stop(self);
  g_free(self);
}

static void
add_row(MsBatchListing *self, const MsInput *input)
{
  const MsBatchUpdate update = {.index = self->added,
                                .status = MS_ITEM_PENDING,
                                .input = input->path,
                                .message = input->problem ? input->problem->message : NULL};

  ms_batch_rows_take(self->rows, &update);
}

static gboolean
add_rows_cb(gpointer data)
{
  MsBatchListing *self = data;
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
found_cb(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GPtrArray) found = g_task_propagate_pointer(G_TASK(result), NULL);
  MsBatchListing *self = data;

  /* After a cancellation, the listing may have been freed. */
  if (!found)
    return;
  g_clear_object(&self->cancellable);
  self->found = g_steal_pointer(&found);
  self->added = 0;
  self->source = g_idle_add(add_rows_cb, self);
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
find_cb(gpointer data)
{
  MsBatchListing *self = data;
  g_autoptr(GTask) task = NULL;

  self->source = 0;
  self->cancellable = g_cancellable_new();
  task = g_task_new(NULL, self->cancellable, found_cb, self);
  g_task_set_task_data(task, g_steal_pointer(&self->spec), (GDestroyNotify)ms_batch_spec_free);
  g_task_run_in_thread(task, find_in_thread);
  return G_SOURCE_REMOVE;
}

/** ms_batch_listing_start: lists the pictures of @spec after a short delay; replaces the previous request. */
void
ms_batch_listing_start(MsBatchListing *self, const MsBatchSpec *spec)
{
  ms_batch_listing_stop(self);
  self->spec = ms_batch_spec_copy(spec);
  self->source = g_timeout_add(DELAY_MS, find_cb, self);
}

/** ms_batch_listing_stop: adds no further row. */
void
ms_batch_listing_stop(MsBatchListing *self)
{
  g_clear_handle_id(&self->source, g_source_remove);
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->found, g_ptr_array_unref);
  g_clear_pointer(&self->spec, ms_batch_spec_free);
}
