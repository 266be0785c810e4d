/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "ui/engine/window-engine-private.h"
#include "ui/engine/window-engine.h"

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

/* The data of the job of a filter request. */
typedef struct {
  MsImage *source;
  MsSettings settings;
  Area whole;
  Area visible; /* empty for none */
  MsFilterEvents events;
  gpointer user_data;
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
report_piece(Filter *self, GVariant *content)
{
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
    self->events.piece(piece, &part, self->user_data);
  return TRUE;
}

static gboolean
report(MsWindowJob *job, guint kind, GVariant *content)
{
  Filter *self = job->data;
  double done;

  if (kind == MS_ANSWER_PIECE)
    return report_piece(self, content);
  g_variant_get(content, "(d)", &done);
  if (!(done >= 0 && done <= 1))
    return FALSE;
  self->events.progress(done, self->user_data);
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
make_run(MsWindowJob *job, MsAnswer *answer_given)
{
  g_autoptr(MsAnswer) answer = answer_given;
  MsWindowEngine *engine = g_task_get_source_object(job->task);
  Filter *self = job->data;
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

/* Fills in the call of the job; descriptors without pixels of their own carry those of the source. */
static gboolean
describe_call(Filter *self, const MsRegion *visible, MsWindowEngineCall *call, GError **error)
{
  const MsRegion extent = ms_image_get_extent(self->source), none = {0, 0, 0, 0};
  const MsRegion *seen = visible && visible->width > 0 && visible->height > 0 ? visible : &none;
  MsSharedPixels *source = ms_shared_image_get(self->source, error);

  call->kind = MS_REQUEST_FILTER;
  call->answer = MS_ANSWER_FILTERED;
  call->content =
    g_variant_ref_sink(g_variant_new("(@" MS_PICTURE_TYPE "(iiii)@as)", ms_service_picture(self->source), seen->x,
                                     seen->y, seen->width, seen->height, ms_settings_to_variant(&self->settings)));
  call->pixels[0] = source;
  if (!source || !area_init(&self->whole, &extent, error) || (seen != &none && !area_init(&self->visible, seen, error)))
    return FALSE;
  call->pixels[1] = ms_shared_pixels_ref(self->whole.shared);
  call->pixels[2] = ms_shared_pixels_ref(self->visible.shared ? self->visible.shared : source);
  return TRUE;
}

/**
 * ms_window_engine_filter_async:
 * @cancellable: (nullable): checked between bands
 * @user_data: for @callback and for the events of @request
 */
void
ms_window_engine_filter_async(MsWindowEngine *self, const MsWindowEngineRequest *request, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  MsWindowJob *job = ms_window_job_new(MS_WINDOW_JOB_FILTER, task);
  Filter *filter = g_new0(Filter, 1);
  GError *error = NULL;

  /* A run that was completed just before its cancellation is returned. */
  g_task_set_check_cancellable(task, FALSE);
  filter->source = g_object_ref(request->source);
  filter->settings = *request->settings;
  filter->events = *request->events;
  filter->user_data = user_data;
  job->data = filter;
  job->free_data = filter_free;
  job->report = report;
  job->complete = make_run;
  job->free_result = g_object_unref;
  if (describe_call(filter, request->visible, &job->call, &error))
    ms_window_engine_push(self, job);
  else
    ms_window_job_fail(job, error);
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
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);

  g_task_set_check_cancellable(task, FALSE);
  g_ptr_array_add(self->holders, g_object_ref(cancellable));
  ms_window_engine_push(self, ms_window_job_new(MS_WINDOW_JOB_HOLD, task));
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
