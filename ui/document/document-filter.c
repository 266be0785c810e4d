/* SPDX-License-Identifier: MIT */
#include "ui/document/document-filter.h"

#include "ui/document/document-private.h"
#include "ui/document/document-runs.h"
#include "ui/document/document-settings.h"
#include "ui/engine/window-engine-filter.h"

/*
 * Each movement of a slider is a new request. A running request continues for this long to show at least the visible
 * part; then the newest request replaces it.
 */
#define SHOW_SOMETHING_MS 250

static void start(MsDocument *self);

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

void
ms_document_set_progress(MsDocument *self, double progress)
{
  self->progress = progress;
  g_object_notify(G_OBJECT(self), "progress");
}

static gboolean
covers_visible(MsDocument *self, const MsRegion *last)
{
  return last->y + last->height >= self->visible.y + self->visible.height;
}

static void
piece_cb(MsImage *image, const MsRegion *region, gpointer data)
{
  MsDocument *self = data;
  MsPiece *piece = g_new0(MsPiece, 1);

  piece->image = g_object_ref(image);
  piece->region = *region;
  g_ptr_array_add(self->pieces, piece);
  self->shown = self->shown || covers_visible(self, region);
  g_signal_emit_by_name(self, "pieces-changed");
  if (self->requested && self->shown && self->cancellable)
    g_cancellable_cancel(self->cancellable);
}

static void
progress_cb(double done, gpointer data)
{
  ms_document_set_progress(data, done);
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
void
ms_document_end_request(MsDocument *self)
{
  g_clear_object(&self->cancellable);
  g_clear_handle_id(&self->cancel_timer, g_source_remove);
  if (self->requested) {
    start(self);
    return;
  }
  g_object_notify(G_OBJECT(self), "busy");
  ms_document_set_progress(self, 0);
}

static void
filtered_cb(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(MsDocument) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(MsRun) run = ms_window_engine_filter_finish(MS_WINDOW_ENGINE(source), result, &error);

  if (run) {
    ms_document_add_run(self, run);
    clear_pieces(self);
  } else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    self->requested = FALSE;
    clear_pieces(self);
    g_signal_emit_by_name(self, "problem", error);
  }
  ms_document_end_request(self);
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
start(MsDocument *self)
{
  static const MsFilterEvents events = {.piece = piece_cb, .progress = progress_cb};
  gboolean seen = self->visible.width > 0 && self->visible.height > 0;
  const MsWindowEngineRequest request = {self->source, ms_document_get_settings(self), seen ? &self->visible : NULL,
                                         &events};

  self->requested = FALSE;
  self->shown = !seen;
  self->cancellable = g_cancellable_new();
  self->started_us = g_get_monotonic_time();
  self->request_step = ms_history_get_step(self->history);
  forget_covered_pieces(self);
  ms_window_engine_filter_async(self->engine, &request, self->cancellable, filtered_cb, g_object_ref(self));
  g_object_notify(G_OBJECT(self), "busy");
}

static gboolean
cancel_late_cb(gpointer data)
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

  if (!self->cancellable) {
    start(self);
    return;
  }
  self->requested = TRUE;
  if (self->repeated)
    return;
  if (self->shown || age_ms >= SHOW_SOMETHING_MS)
    g_cancellable_cancel(self->cancellable);
  else if (self->cancel_timer == 0)
    self->cancel_timer = g_timeout_add(SHOW_SOMETHING_MS - age_ms, cancel_late_cb, self);
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
  ms_window_engine_hurry(self->engine, self->cancellable);
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
