/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift.h"

#include "core/filter/mean-shift-levels.h"
#include "core/filter/mean-shift-pipeline.h"

struct _MsMeanShift {
  GObject parent_instance;
  MsContext *context;
  MsFilterBuffers buffers;
  MsFilterLevels levels;
  GPtrArray *lanes; /* the further queues on the device, opened for the first plan with lanes */
  guint64 memory_budget;
  MsProgressFunc progress;
  gpointer progress_data;
  gboolean early_rows;
  gboolean pipelined;
};

G_DEFINE_FINAL_TYPE(MsMeanShift, ms_mean_shift, G_TYPE_OBJECT)

static void
ms_mean_shift_finalize(GObject *object)
{
  MsMeanShift *self = MS_MEAN_SHIFT(object);

  ms_filter_buffers_release(&self->buffers);
  ms_filter_levels_release(&self->levels);
  g_clear_pointer(&self->lanes, g_ptr_array_unref);
  g_clear_object(&self->context);
  G_OBJECT_CLASS(ms_mean_shift_parent_class)->finalize(object);
}

static void
ms_mean_shift_class_init(MsMeanShiftClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_mean_shift_finalize;
}

static void
ms_mean_shift_init(MsMeanShift *self)
{
  self->lanes = ms_filter_lanes_new();
}

/** ms_mean_shift_new: a filter on the device of @context; use it from one thread at a time. */
MsMeanShift *
ms_mean_shift_new(MsContext *context)
{
  MsMeanShift *self = g_object_new(MS_TYPE_MEAN_SHIFT, NULL);

  self->context = g_object_ref(context);
  return self;
}

MsContext *
ms_mean_shift_get_context(MsMeanShift *self)
{
  return self->context;
}

/** ms_mean_shift_set_memory_budget: device bytes that plans made here may take; 0 for the default of the device. */
void
ms_mean_shift_set_memory_budget(MsMeanShift *self, guint64 bytes)
{
  self->memory_budget = bytes;
}

/** ms_mean_shift_set_progress: @progress is called after each band from the thread that runs. */
void
ms_mean_shift_set_progress(MsMeanShift *self, MsProgressFunc progress, gpointer user_data)
{
  self->progress = progress;
  self->progress_data = user_data;
}

/**
 * ms_mean_shift_set_early_rows: whether the rows of each band are in the caller's pixels when progress is reported, so
 * that a window can show them. This downloads each row twice; the log has the final download only.
 */
void
ms_mean_shift_set_early_rows(MsMeanShift *self, gboolean early_rows)
{
  self->early_rows = early_rows;
}

/**
 * ms_mean_shift_set_pipelined: whether plans made here may use several queues, so that transfers overlap kernels.
 * Single stages cannot be measured then, because a transfer's host part overlaps other stages.
 */
void
ms_mean_shift_set_pipelined(MsMeanShift *self, gboolean pipelined)
{
  self->pipelined = pipelined;
}

/** ms_mean_shift_plan_request: ms_mean_shift_plan() for the source, settings and region of @request, and its modes. */
MsPlan *
ms_mean_shift_plan_request(MsMeanShift *self, const MsFilterRequest *request, GError **error)
{
  MsPlanRequest plan = ms_plan_request(request->settings, ms_context_get_limits(self->context),
                                       ms_image_get_width(request->source), ms_image_get_height(request->source));

  if (request->region)
    plan.region = *request->region;
  plan.memory_budget = self->memory_budget;
  plan.modes = request->modes != NULL;
  plan.has_coarser = request->coarser != NULL;
  plan.pipelined = self->pipelined && !self->early_rows && !plan.modes;
  return ms_plan_new(&plan, error);
}

/**
 * ms_mean_shift_plan:
 * @region: (nullable): the rectangle to compute, %NULL for the whole image
 *
 * Returns: (transfer full): the plan for this filter's device, or %NULL with @error set as ms_plan_new() does
 */
MsPlan *
ms_mean_shift_plan(MsMeanShift *self, MsImage *source, const MsSettings *settings, const MsRegion *region,
                   GError **error)
{
  const MsFilterRequest request = {.source = source, .settings = settings, .region = region};

  return ms_mean_shift_plan_request(self, &request, error);
}

/**
 * ms_mean_shift_run_plan_into:
 * @pixels: region width x region height x 4 bytes for the result
 *
 * Returns: %FALSE with #MS_ERROR or G_IO_ERROR_CANCELLED
 */
gboolean
ms_mean_shift_run_plan_into(MsMeanShift *self, const MsPlanRun *run, guint8 *pixels, GError **error)
{
  const MsPlan *plan = run->plan;
  MsFilterRun steps = {.launch = {.context = self->context, .plan = plan, .buffers = &self->buffers, .log = run->log},
                       .source = ms_image_get_pixels(run->source),
                       .pixels = pixels,
                       .modes = run->modes,
                       .coarser = run->coarser ? ms_image_get_pixels(run->coarser) : NULL,
                       .cancellable = run->cancellable,
                       .progress = self->progress,
                       .progress_data = self->progress_data,
                       .early_rows = self->early_rows};

  if (plan->lanes > 1)
    return ms_filter_run_in_lanes(&steps, self->lanes, error);
  if (!(plan->coarser ? ms_filter_levels_run(&self->levels, &steps, error) : ms_filter_run(&steps, error)))
    return FALSE;
  return !run->log || ms_timing_log_resolve(run->log, error);
}

/** ms_mean_shift_run_plan: ms_mean_shift_run_plan_into() a new image with the source's metadata. */
MsImage *
ms_mean_shift_run_plan(MsMeanShift *self, const MsPlanRun *run, GError **error)
{
  const MsRegion *region = &run->plan->request.region;
  guint8 *pixels = ms_image_try_alloc_pixels((guint64)region->width, (guint64)region->height);

  if (!pixels) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for a result of %dx%d pixels.", region->width,
                 region->height);
    return NULL;
  }
  if (ms_mean_shift_run_plan_into(self, run, pixels, error))
    return ms_image_new_take(region->width, region->height, pixels, ms_image_get_metadata(run->source));
  g_free(pixels);
  return NULL;
}

/**
 * ms_mean_shift_run: plans and runs.
 *
 * Returns: (transfer full): the result, or %NULL with #MS_ERROR_UNSUPPORTED for settings without modes where these are
 *   asked for
 */
MsImage *
ms_mean_shift_run(MsMeanShift *self, const MsFilterRequest *request, GError **error)
{
  g_autoptr(MsPlan) plan = ms_mean_shift_plan_request(self, request, error);

  if (!plan)
    return NULL;
  return ms_mean_shift_run_plan(
    self, &(MsPlanRun){request->source, plan, request->log, request->cancellable, request->modes, request->coarser},
    error);
}
