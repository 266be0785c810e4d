/* SPDX-License-Identifier: MIT */
#include "core/batch/run/runner-host.h"

#include "core/batch/run/stage-decode.h"
#include "core/batch/run/stage-filter.h"
#include "core/batch/run/stage-measure.h"
#include "core/batch/run/stage-save.h"

/*
 * While a device is being opened, this many times the usual number of images is decoded ahead, in a fraction of the
 * memory.
 */
#define OPENING_AHEAD 16
#define OPENING_SHARE 2

/*
 * A driver starts in the time that decoding dozens of images takes, so more images are decoded ahead meanwhile, limited
 * by memory instead of by their number. A larger image waits, because a driver that finds no memory is not loaded.
 */
static gboolean
may_decode(const MsRunner *self)
{
  guint ahead = self->opening ? self->decode_ahead * OPENING_AHEAD : self->decode_ahead;
  guint64 memory = self->opening ? self->options->memory / OPENING_SHARE : self->options->memory;

  if (!self->measured || self->decoding + g_queue_get_length((GQueue *)&self->decoded) >= ahead)
    return FALSE;
  return (self->memory_used == 0 && !self->opening) || self->memory_used + self->measured->bytes <= memory;
}

static void
measure_next(MsRunner *self)
{
  MsBatchItem *item = g_ptr_array_index(self->items, self->next++);
  g_autoptr(MsBatchImage) work = NULL;
  g_autoptr(GError) error = NULL;
  gboolean good;

  if (item->status != MS_ITEM_PENDING) {
    ms_runner_finish_item(self, item, FALSE);
    return;
  }
  ms_runner_call_hook(self, self->hooks->started, item);
  work = ms_batch_image_new(item, self->options, self->hooks, self->cancellable);
  self->measuring = TRUE;
  g_mutex_unlock(&self->lock);
  good = ms_stage_measure(work, &error);
  g_mutex_lock(&self->lock);
  self->measuring = FALSE;
  if (!good) {
    ms_runner_fail_item(self, item, error, FALSE);
    return;
  }
  self->measured = g_steal_pointer(&work);
  g_cond_broadcast(&self->changed);
}

static void
decode_measured(MsRunner *self)
{
  MsBatchImage *work = g_steal_pointer(&self->measured);
  g_autoptr(GError) error = NULL;
  gboolean good;

  self->memory_used += work->bytes;
  self->decoding++;
  g_cond_broadcast(&self->changed);
  g_mutex_unlock(&self->lock);
  good = ms_stage_decode(work, &error);
  g_mutex_lock(&self->lock);
  self->decoding--;
  if (good) {
    ms_runner_call_hook(self, self->hooks->waits, work->item);
    g_queue_push_tail(&self->decoded, work);
    g_cond_broadcast(&self->changed);
    return;
  }
  ms_runner_fail_item(self, work->item, error, FALSE);
  ms_runner_release(self, work);
}

static void
save_filtered(MsRunner *self)
{
  MsBatchImage *work = g_queue_pop_head(&self->filtered);
  g_autoptr(GError) error = NULL;

  g_mutex_unlock(&self->lock);
  if ((!self->options->verify || ms_stage_verify(work, &error)) && work->item->output)
    ms_stage_save(work, &error);
  g_mutex_lock(&self->lock);
  ms_runner_settle_saved(self, work, error);
}

/*
 * An idle thread takes, in this order: a result to save, which frees memory; an image to decode that fits the memory
 * left; the header of the next item.
 */
static gpointer
work_on_host(gpointer data)
{
  MsRunner *self = data;

  g_mutex_lock(&self->lock);
  while (self->unfinished > 0 && !self->stopped) {
    if (!g_queue_is_empty(&self->filtered))
      save_filtered(self);
    else if (may_decode(self))
      decode_measured(self);
    else if (!self->measured && !self->measuring && self->next < self->items->len)
      measure_next(self);
    else
      g_cond_wait(&self->changed, &self->lock);
  }
  g_mutex_unlock(&self->lock);
  return NULL;
}

/** ms_runner_start_workers: (transfer full) (element-type GThread): starts @n threads. */
GPtrArray *
ms_runner_start_workers(MsRunner *self, guint n)
{
  GPtrArray *threads = g_ptr_array_new();

  self->decode_ahead = n + 1;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add(threads, g_thread_new("ms-codec", work_on_host, self));
  return threads;
}
