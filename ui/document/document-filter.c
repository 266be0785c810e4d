/* SPDX-License-Identifier: MIT */
#include "ui/document/document-private.h"
#include "ui/document/flip-compiler.h"
#include "ui/document/flips.h"

/*
 * Each movement of a slider is a new request. A running request continues for this long to show at least the visible
 * part; then the newest request replaces it.
 */
#define SHOW_SOMETHING_MS 250

static void start_document_filter(MsDocument *self);
static void on_document_progress(double done, gpointer data);

/** ms_document_set_live: whether every change starts the filter, or only ms_document_request_filter() does. */
void
ms_document_set_live(MsDocument *self, gboolean live)
{
  self->live = live;
}

gboolean
ms_document_is_live(MsDocument *self)
{
  return self->live;
}

/** ms_document_set_visible: sets the part of the picture on the screen, which is computed first. */
void
ms_document_set_visible(MsDocument *self, const MsRegion *visible)
{
  self->visible = *visible;
}

static void
set_progress(MsDocument *self, double progress)
{
  self->progress = progress;
  self->compiles = self->compiles && progress == 0;
  g_object_notify(G_OBJECT(self), "progress");
}

static void
on_piece(MsImage *image, const MsRegion *region, gpointer data)
{
  MsDocument *self = data;
  MsPiece *piece = g_new0(MsPiece, 1);

  self->compiles = FALSE;
  piece->image = g_object_ref(image);
  piece->region = *region;
  g_ptr_array_add(self->pieces, piece);
  self->shown = self->shown || region->y + region->height >= self->visible.y + self->visible.height;
  g_signal_emit_by_name(self, "pieces-changed");
  if (self->requested && self->shown && self->cancellable)
    g_cancellable_cancel(self->cancellable);
}

static void
on_document_progress(double done, gpointer data)
{
  set_progress(data, done);
}

static void
clear_pieces(MsDocument *self)
{
  if (self->pieces->len == 0)
    return;
  g_ptr_array_set_size(self->pieces, 0);
  g_signal_emit_by_name(self, "pieces-changed");
}

/* Starts the waiting request, if any, after the running one has ended. */
static void
end_request(MsDocument *self)
{
  g_clear_object(&self->cancellable);
  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  if (self->requested) {
    start_document_filter(self);
    return;
  }
  g_object_notify(G_OBJECT(self), "busy");
  set_progress(self, 0);
}

/* The baseline with the kernel of another run, so that like is compared with like */

/** ms_document_set_holds_kernel: whether the baseline is run again with the kernel of each run that has another one. */
void
ms_document_set_holds_kernel(MsDocument *self, gboolean holds_kernel)
{
  self->holds_kernel = holds_kernel;
}

gboolean
ms_document_get_holds_kernel(MsDocument *self)
{
  return self->holds_kernel;
}

static gboolean
needs_counterpart(MsDocument *self, MsRun *run)
{
  MsRun *baseline = self->baseline;

  return self->holds_kernel && !self->requested && baseline && baseline != run && ms_run_get_device(run) &&
         ms_run_get_device(baseline) == ms_run_get_device(run) &&
         ms_params_equal(&ms_run_get_settings(baseline)->params, &ms_run_get_settings(run)->params) &&
         ms_run_get_settings(baseline)->options.kernel != ms_run_get_settings(run)->options.kernel;
}

static void
on_counterpart(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDocument) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsRun) run = ms_window_engine_filter_finish(MS_WINDOW_ENGINE(source), result, &error);

  if (run)
    ms_document_add_counterpart(self, run);
  else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_signal_emit_by_name(self, "problem", error);
  end_request(self);
}

/* Starts the run of the baseline with the kernel of @run; %FALSE where none is needed. */
static gboolean
start_counterpart(MsDocument *self, MsRun *run)
{
  static const MsFilterEvents events = {.progress = on_document_progress};

  if (!needs_counterpart(self, run))
    return FALSE;
  MsSettings settings = *ms_run_get_requested(self->baseline);
  const int kernel = ms_run_get_settings(run)->options.kernel;
  MsRun *known = ms_document_find_counterpart(self, &settings, kernel);
  if (known) {
    ms_document_set_baseline(self, known);
    return FALSE;
  }
  settings.options.kernel = kernel;
  g_clear_object(&self->cancellable);
  self->cancellable = g_cancellable_new();
  ms_window_engine_ask_async(self->engine, ms_window_request_new_filter(self->source, &settings, NULL, &events),
                             self->cancellable, on_counterpart, g_object_ref(self));
  return TRUE;
}

static void
on_filtered(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDocument) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsRun) run = ms_window_engine_filter_finish(MS_WINDOW_ENGINE(source), result, &error);

  if (run) {
    ms_document_add_run(self, run);
    clear_pieces(self);
    if (start_counterpart(self, run))
      return;
    if (!self->requested)
      ms_flip_compiler_start(self);
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    self->requested = FALSE;
    clear_pieces(self);
    g_signal_emit_by_name(self, "problem", error);
  }
  end_request(self);
}

/* The view draws pieces in order, so an old piece stays visible until a newer one covers it. */
static void
forget_covered_pieces(MsDocument *self)
{
  guint keep = 64;

  if (self->pieces->len > keep)
    g_ptr_array_remove_range(self->pieces, 0, self->pieces->len - keep);
}

static void
start_document_filter(MsDocument *self)
{
  static const MsFilterEvents events = {.piece = on_piece, .progress = on_document_progress};
  gboolean seen = self->visible.width > 0 && self->visible.height > 0;
  MsWindowRequest *request =
    ms_window_request_new_filter(self->source, ms_document_get_settings(self), seen ? &self->visible : NULL, &events);

  self->requested = FALSE;
  self->compiles = ms_flip_compiler_must_compile(self);
  self->shown = !seen;
  self->cancellable = g_cancellable_new();
  self->started_us = g_get_monotonic_time();
  self->request_step = ms_document_get_step(self);
  forget_covered_pieces(self);
  ms_window_engine_ask_async(self->engine, request, self->cancellable, on_filtered, g_object_ref(self));
  g_object_notify(G_OBJECT(self), "busy");
}

static gboolean
on_cancel_late(gpointer data)
{
  MsDocument *self = data;

  self->cancel_timer = 0;
  if (self->requested && self->cancellable)
    g_cancellable_cancel(self->cancellable);
  return G_SOURCE_REMOVE;
}

/** ms_document_request_filter: filters with the current settings; the newest request replaces a waiting one. */
void
ms_document_request_filter(MsDocument *self)
{
  gint64 age_ms = (g_get_monotonic_time() - self->started_us) / 1000;

  ms_document_stop_measuring(self);
  if (!self->cancellable) {
    start_document_filter(self);
    return;
  }
  self->requested = TRUE;
  if (self->repeated)
    return;
  if (self->shown || age_ms >= SHOW_SOMETHING_MS)
    g_cancellable_cancel(self->cancellable);
  else if (self->cancel_timer == 0)
    self->cancel_timer = g_timeout_add(SHOW_SOMETHING_MS - age_ms, on_cancel_late, self);
}

/**
 * ms_document_cancel: stops the running request after its current band; the last result stays. Settings that wait for
 * the end of repeats are filtered then.
 */
void
ms_document_cancel(MsDocument *self)
{
  self->requested = self->requested && self->repeated;
  if (!self->cancellable)
    return;
  g_cancellable_cancel(self->cancellable);
  ms_window_engine_enforce_cancel(self->engine, self->cancellable);
  clear_pieces(self);
}

gboolean
ms_document_is_busy(MsDocument *self)
{
  return self->cancellable != NULL;
}

/** ms_document_get_busy_ms: how long the current request has been running, 0 if none is. */
guint
ms_document_get_busy_ms(MsDocument *self)
{
  return self->cancellable ? (guint)((g_get_monotonic_time() - self->started_us) / 1000) : 0;
}

/** ms_document_is_compiling: whether the running request has to compile its kernels and has computed nothing yet. */
gboolean
ms_document_is_compiling(MsDocument *self)
{
  return self->cancellable && self->compiles;
}

double
ms_document_get_progress(MsDocument *self)
{
  return self->progress;
}

/**
 * ms_document_get_pieces: (transfer none) (element-type MsPiece): the finished parts of the next result; later ones
 * cover earlier ones.
 */
GPtrArray *
ms_document_get_pieces(MsDocument *self)
{
  return self->pieces;
}

static void
on_repeat_progress(double done, gpointer data)
{
  MsDocument *self = data;

  set_progress(self, (self->repeats_done + done) / self->n_repeats);
}

static void repeat_once(MsDocument *self);

static void
on_repeated(GObject *source, GAsyncResult *result, gpointer data)
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
  end_request(self);
}

static void
repeat_once(MsDocument *self)
{
  static const MsFilterEvents events = {.progress = on_repeat_progress};
  MsWindowRequest *request =
    ms_window_request_new_filter(self->source, ms_run_get_requested(self->repeated), NULL, &events);

  ms_window_engine_ask_async(self->engine, request, self->cancellable, on_repeated, g_object_ref(self));
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
  ms_document_stop_measuring(self);
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
