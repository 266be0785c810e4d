/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "ui/engine/window-engine-private.h"

/* The pixels of so many recent results can be sent again without a copy. */
#define MOST_SHARED 32

/* 128 bits in hex */
#define DIGEST_LENGTH 32

/* Pixels that the process computes: of the whole picture or of its visible part. */
typedef struct {
  MsSharedPixels *shared;
  GBytes *mapped; /* (nullable): once there is something to be read */
  MsRegion region;
} Area;

/* The data of a filter request. */
typedef struct {
  MsImage *source;
  MsSettings settings;
  Area whole;
  Area visible; /* empty for none */
  MsFilterEvents events;
} Filter;

static void
area_clear(Area *area)
{
  g_clear_pointer(&area->shared, ms_shared_pixels_unref);
  g_clear_pointer(&area->mapped, g_bytes_unref);
}

static void
filter_free(gpointer data)
{
  Filter *self = data;

  area_clear(&self->whole);
  area_clear(&self->visible);
  g_object_unref(self->source);
  g_free(self);
}

static gboolean
area_map(Area *area)
{
  if (!area->mapped && area->shared)
    area->mapped = ms_shared_pixels_map(area->shared, NULL);
  return area->mapped != NULL;
}

static gboolean
report_piece(MsWindowRequest *request, GVariant *content)
{
  Filter *self = request->data;
  gboolean is_visible;
  int first, rows;

  g_variant_get(content, "(bii)", &is_visible, &first, &rows);
  Area *area = is_visible ? &self->visible : &self->whole;
  if (first < 0 || rows <= 0 || first > area->region.height || rows > area->region.height - first || !area_map(area))
    return FALSE;
  const gsize stride = (gsize)area->region.width * 4;
  const MsRegion part = {area->region.x, area->region.y + first, area->region.width, rows};
  g_autoptr(GBytes) pixels = g_bytes_new_from_bytes(area->mapped, (gsize)first * stride, (gsize)rows * stride);
  g_autoptr(MsImage) piece = ms_image_new(part.width, part.height, pixels, ms_image_get_metadata(self->source));
  if (self->events.piece)
    self->events.piece(piece, &part, request->user_data);
  return TRUE;
}

static gboolean
report(MsWindowRequest *request, guint kind, GVariant *content)
{
  Filter *self = request->data;
  double done;

  if (kind == MS_ANSWER_PIECE)
    return report_piece(request, content);
  g_variant_get(content, "(d)", &done);
  if (!(done >= 0 && done <= 1))
    return FALSE;
  self->events.progress(done, request->user_data);
  return TRUE;
}

/* Keeps the pixels of a few results with them; each holds a descriptor. */
static void
share_result(MsWindowEngine *engine, MsImage *image, MsSharedPixels *pixels)
{
  GWeakRef *recent = g_new(GWeakRef, 1);

  ms_shared_image_attach(image, pixels);
  g_weak_ref_init(recent, image);
  g_queue_push_tail(&engine->shared, recent);
  if (engine->shared.length <= MOST_SHARED)
    return;
  GWeakRef *oldest = g_queue_pop_head(&engine->shared);
  g_autoptr(MsImage) old = g_weak_ref_get(oldest);
  if (old)
    ms_shared_image_attach(old, NULL);
  g_weak_ref_clear(oldest);
  g_free(oldest);
}

/* (transfer full) (nullable): the program that ran. */
static MsProgramSpec *
read_spec(GVariant *maybe, gboolean *good)
{
  g_autoptr(GVariant) variant = g_variant_get_maybe(maybe);
  MsProgramSpec *spec = variant ? ms_program_spec_new_from_variant(variant) : NULL;

  *good = *good && (spec || !variant);
  return spec;
}

/* (transfer full) (nullable): the run that an answer describes. */
static gpointer
make_run(MsWindowRequest *request, MsAnswer *answer_given)
{
  g_autoptr(MsAnswer) answer = answer_given;
  MsWindowEngine *engine = g_task_get_source_object(request->task);
  Filter *self = request->data;
  g_autoptr(GVariant) used = NULL, rows = NULL, program = NULL;
  MsRunFacts facts = {.requested = self->settings, .device = ms_window_engine_get_device(engine)};

  g_variant_get(answer->content, "(@as@" MS_TIMING_LOG_TYPE "@m" MS_PROGRAM_SPEC_TYPE "m&sm&s&s)", &used, &rows,
                &program, &facts.build_log, &facts.rejected, &facts.digest);
  gboolean good =
    ms_settings_from_variant(used, &facts.settings) && strlen(facts.digest) == DIGEST_LENGTH && area_map(&self->whole);
  g_autoptr(MsProgramSpec) spec = read_spec(program, &good);
  g_autoptr(MsTimingLog) log = ms_timing_log_new_from_variant(rows);
  if (!good || !log)
    return NULL;
  g_autoptr(MsImage) result = ms_image_new(self->whole.region.width, self->whole.region.height, self->whole.mapped,
                                           ms_image_get_metadata(self->source));
  share_result(engine, result, self->whole.shared);
  facts.log = log;
  facts.result = result;
  facts.spec = spec;
  return ms_run_new(&facts);
}

/* Takes memory for the pixels of @area. */
static gboolean
area_init(Area *area, const MsRegion *region, GError **error)
{
  area->region = *region;
  area->shared = ms_shared_pixels_new((gsize)region->width * (gsize)region->height * 4, error);
  return area->shared != NULL;
}

/**
 * ms_window_request_new_filter: (transfer full): is answered with an #MsRun; @source is referenced, the rest copied.
 * @visible: (nullable): the part to compute and report first
 * @events: called during the run
 */
MsWindowRequest *
ms_window_request_new_filter(MsImage *source, const MsSettings *settings, const MsRegion *visible,
                             const MsFilterEvents *events)
{
  const MsRegion extent = ms_image_get_extent(source), none = {0, 0, 0, 0};
  const MsRegion *seen = visible && visible->width > 0 && visible->height > 0 ? visible : &none;
  Filter *filter = g_new0(Filter, 1);
  MsWindowRequest *self = ms_window_request_new(
    MS_REQUEST_FILTER, g_variant_new("(@" MS_PICTURE_TYPE "(iiii)@as)", ms_service_picture(source), seen->x, seen->y,
                                     seen->width, seen->height, ms_settings_to_variant(settings)));

  filter->source = g_object_ref(source);
  filter->settings = *settings;
  filter->events = *events;
  self->data = filter;
  self->free_data = filter_free;
  self->report = report;
  self->complete = make_run;
  self->free_result = g_object_unref;
  ms_window_request_add_image(self, source);
  if (!self->error && area_init(&filter->whole, &extent, &self->error) &&
      (seen == &none || area_init(&filter->visible, seen, &self->error))) {
    /* A descriptor without pixels of its own carries those of the source. */
    MsSharedPixels *part = filter->visible.shared ? filter->visible.shared : self->pixels[0];
    ms_window_request_add_pixels(self, ms_shared_pixels_ref(filter->whole.shared));
    ms_window_request_add_pixels(self, ms_shared_pixels_ref(part));
  }
  return self;
}

/** ms_window_engine_filter_finish: (transfer full): the run, whose time is kept, or %NULL with @error set. */
MsRun *
ms_window_engine_filter_finish(MsWindowEngine *self, GAsyncResult *result, GError **error)
{
  MsRun *run = g_task_propagate_pointer(G_TASK(result), error);

  if (run)
    ms_rates_add_run(self->rates, run);
  return run;
}

/**
 * ms_window_engine_hold_async:
 * @cancellable: (transfer none): of the measurement; identifies the holder
 *
 * Waits until everything that was requested has ended. From then on requests wait until ms_window_engine_release(),
 * which the caller must call after each successful call.
 */
void
ms_window_engine_hold_async(MsWindowEngine *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  MsWindowRequest *request = ms_window_request_new(MS_WINDOW_REQUEST_HOLD, g_variant_new("()"));

  g_ptr_array_add(self->holders, g_object_ref(cancellable));
  ms_window_engine_ask_async(self, request, cancellable, callback, user_data);
  g_signal_emit_by_name(self, "holders-changed");
}

/** ms_window_engine_hold_finish: %FALSE when the holder was cancelled before; there is nothing to release then. */
gboolean
ms_window_engine_hold_finish(MsWindowEngine *self, GAsyncResult *result, GError **error)
{
  GCancellable *cancellable = g_task_get_cancellable(G_TASK(result));
  gboolean held = g_task_propagate_boolean(G_TASK(result), error);

  if (!held && g_ptr_array_remove(self->holders, cancellable))
    g_signal_emit_by_name(self, "holders-changed");
  return held;
}

/** ms_window_engine_release: lets the requests that waited run. */
void
ms_window_engine_release(MsWindowEngine *self, GCancellable *cancellable)
{
  self->is_held = FALSE;
  g_ptr_array_remove(self->holders, cancellable);
  g_signal_emit_by_name(self, "holders-changed");
  ms_window_engine_send_next(self);
}

/** ms_window_engine_is_held: whether a measurement has the device or waits for it. */
gboolean
ms_window_engine_is_held(MsWindowEngine *self)
{
  return self->holders->len > 0;
}

/** ms_window_engine_cancel_holders: cancels every measurement that has the device or waits for it. */
void
ms_window_engine_cancel_holders(MsWindowEngine *self)
{
  for (guint i = 0; i < self->holders->len; i++)
    g_cancellable_cancel(self->holders->pdata[i]);
}
