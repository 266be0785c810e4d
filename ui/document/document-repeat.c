/* SPDX-License-Identifier: MIT */
#include "ui/document/document-repeat.h"

#include "ui/document/document-private.h"
#include "ui/engine/window-engine-filter.h"

static void
progress_cb(double done, gpointer data)
{
  MsDocument *self = data;

  ms_document_set_progress(self, (self->repeats_done + done) / self->n_repeats);
}

static void repeat_once(MsDocument *self);

static void
repeated_cb(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDocument) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsRun) run = ms_window_engine_filter_finish(MS_WINDOW_ENGINE(source), result, &error);

  if (run)
    ms_run_add_time(self->repeated, ms_run_get_kernel_ms(run));
  else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_signal_emit_by_name(self, "problem", error);
  self->repeats_done++;
  if (run && self->repeats_done < self->n_repeats && !g_cancellable_is_cancelled(self->cancellable)) {
    repeat_once(self);
    return;
  }
  g_clear_object(&self->repeated);
  ms_document_end_request(self);
}

static void
repeat_once(MsDocument *self)
{
  static const MsFilterEvents events = {.progress = progress_cb};
  const MsWindowEngineRequest request = {self->source, ms_run_get_requested(self->repeated), NULL, &events};

  ms_window_engine_filter_async(self->engine, &request, self->cancellable, repeated_cb, g_object_ref(self));
}

/** ms_document_can_repeat_run: whether nothing is being filtered and the device of @run (nullable) is in use. */
gboolean
ms_document_can_repeat_run(MsDocument *self, MsRun *run)
{
  return run && !self->cancellable && ms_window_engine_get_state(self->engine) == MS_WINDOW_ENGINE_READY &&
         ms_run_get_device(run) == ms_window_engine_get_device(self->engine);
}

/**
 * ms_document_repeat_run:
 *
 * Filters with the settings of @run @n more times and adds the times to the run. Changes of the settings wait until
 * then; ms_document_cancel() ends it earlier.
 */
void
ms_document_repeat_run(MsDocument *self, MsRun *run, guint n)
{
  if (n == 0 || !ms_document_can_repeat_run(self, run))
    return;
  self->repeated = g_object_ref(run);
  self->n_repeats = n;
  self->repeats_done = 0;
  self->cancellable = g_cancellable_new();
  self->started_us = g_get_monotonic_time();
  repeat_once(self);
  g_object_notify(G_OBJECT(self), "busy");
}

/** ms_document_is_repeating: whether the time of a run is being measured again. */
gboolean
ms_document_is_repeating(MsDocument *self)
{
  return self->repeated != NULL;
}
