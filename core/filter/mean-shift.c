/* SPDX-License-Identifier: MIT */
#include "core/filter/mean-shift.h"

#include "core/filter/bands.h"
#include "core/opencl/cl-error.h"

/* A device buffer that is kept between runs and only grows. */
typedef struct {
  cl_mem mem;
  gsize bytes;
} Store;

struct _MsMeanShift {
  GObject parent_instance;
  MsContext *context;
  Store source;
  Store result;
  Store scratch[MS_PLAN_MAX_SCRATCH];
  cl_mem image;
  gsize image_width;
  gsize image_height;
  guint64 memory_budget;
  MsProgressFunc progress;
  gpointer progress_data;
  gboolean early_rows;
};

G_DEFINE_FINAL_TYPE(MsMeanShift, ms_mean_shift, G_TYPE_OBJECT)

/* What one run needs to know from stripe to stripe and band to band. */
typedef struct {
  MsMeanShift *self;
  const MsPlan *plan;
  const guint8 *source;
  guint8 *pixels;
  MsTimingLog *log;
  GCancellable *cancellable;
  cl_kernel kernels[MS_PLAN_MAX_PASSES];
  MsRows stripe;
  MsRows held;
  MsRows band;
} Run;

static void
store_clear(Store *store)
{
  g_clear_pointer(&store->mem, clReleaseMemObject);
  store->bytes = 0;
}

static gboolean
store_reserve(Store *store, MsContext *context, cl_mem_flags flags, gsize bytes, GError **error)
{
  if (store->bytes >= bytes)
    return TRUE;
  store_clear(store);
  store->mem = ms_context_create_buffer(context, flags, bytes, NULL, error);
  if (!store->mem)
    return FALSE;
  store->bytes = bytes;
  return TRUE;
}

static void
ms_mean_shift_finalize(GObject *object)
{
  MsMeanShift *self = MS_MEAN_SHIFT(object);

  store_clear(&self->source);
  store_clear(&self->result);
  for (guint i = 0; i < MS_PLAN_MAX_SCRATCH; i++)
    store_clear(&self->scratch[i]);
  g_clear_pointer(&self->image, clReleaseMemObject);
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

/** ms_mean_shift_set_memory_budget: device bytes that plans made here may take; 0 for what suits the device. */
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
 * ms_mean_shift_set_early_rows: whether the rows of each band reach the caller's pixels before progress tells of them, so
 * that a window can show them; costs one more download, which no log counts.
 */
void
ms_mean_shift_set_early_rows(MsMeanShift *self, gboolean early_rows)
{
  self->early_rows = early_rows;
}

static gboolean
reserve_image(Run *run, GError **error)
{
  MsMeanShift *self = run->self;
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                        .image_width = run->plan->request.width,
                        .image_height = run->held.count};
  cl_int status = CL_SUCCESS;

  if (self->image && self->image_width == desc.image_width && self->image_height == desc.image_height)
    return TRUE;
  g_clear_pointer(&self->image, clReleaseMemObject);
  self->image = clCreateImage(ms_context_get_cl(self->context), CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
  self->image_width = desc.image_width;
  self->image_height = desc.image_height;
  return ms_cl_check(status, error, "making an image object of %dx%d", run->plan->request.width, run->held.count);
}

static gboolean
upload_stripe(Run *run, GError **error)
{
  gsize stride = (gsize)run->plan->request.width * 4;
  const guint8 *from = run->source + run->held.first * stride;
  gsize bytes = run->held.count * stride;

  if (run->plan->source_is_image)
    return reserve_image(run, error) &&
           ms_context_upload_image(run->self->context, run->self->image, run->plan->request.width, run->held.count, from,
                                   run->log, error);
  return store_reserve(&run->self->source, run->self->context, CL_MEM_READ_ONLY, bytes, error) &&
         ms_context_upload(run->self->context, run->self->source.mem, 0, bytes, from, run->log, error);
}

static gboolean
reserve_buffers(Run *run, GError **error)
{
  MsMeanShift *self = run->self;
  gsize result_bytes = (gsize)run->stripe.count * run->plan->request.region.width * 4;

  if (!store_reserve(&self->result, self->context, CL_MEM_READ_WRITE, result_bytes, error))
    return FALSE;
  for (guint i = 0; i < run->plan->n_scratch; i++) {
    const MsScratch *scratch = &run->plan->scratch[i];
    gsize bytes = run->held.count * scratch->row_bytes + scratch->fixed_bytes;
    if (!store_reserve(&self->scratch[i], self->context, CL_MEM_READ_WRITE, bytes, error))
      return FALSE;
  }
  return TRUE;
}

static cl_int
set_arg(Run *run, cl_kernel kernel, guint index, MsArg arg, const MsPass *pass, int pass_number)
{
  const MsPlanRequest *q = &run->plan->request;
  MsFilterNumbers numbers = ms_params_numbers(&run->plan->settings.params);
  const cl_int4 image = {{q->width, q->height, run->held.first, run->held.count}};
  const cl_int4 region = {{q->region.x, run->stripe.first, q->region.width, run->stripe.count}};
  const cl_int4 band = {{q->region.x, run->band.first, q->region.width, run->band.count}};
  const cl_int4 filter = {{run->plan->radius, numbers.isr2, numbers.max_iterations, numbers.epsilon}};

  switch (arg) {
  case MS_ARG_SOURCE:
    return clSetKernelArg(kernel, index, sizeof(cl_mem),
                          run->plan->source_is_image ? &run->self->image : &run->self->source.mem);
  case MS_ARG_RESULT:
    return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->self->result.mem);
  case MS_ARG_IMAGE:
    return clSetKernelArg(kernel, index, sizeof image, &image);
  case MS_ARG_REGION:
    return clSetKernelArg(kernel, index, sizeof region, &region);
  case MS_ARG_BAND:
    return clSetKernelArg(kernel, index, sizeof band, &band);
  case MS_ARG_FILTER:
    return clSetKernelArg(kernel, index, sizeof filter, &filter);
  case MS_ARG_SP:
    return clSetKernelArg(kernel, index, sizeof numbers.sp, &numbers.sp);
  case MS_ARG_LOCAL:
    return clSetKernelArg(kernel, index, pass->local_bytes, NULL);
  case MS_ARG_PASS:
    return clSetKernelArg(kernel, index, sizeof pass_number, &pass_number);
  default:
    return clSetKernelArg(kernel, index, sizeof(cl_mem), &run->self->scratch[arg - MS_ARG_SCRATCH_0].mem);
  }
}

static gsize
groups_up(gsize extent, int item, gsize local)
{
  gsize items = (extent + item - 1) / item;

  return local ? (items + local - 1) / local * local : items;
}

static MsNDRange
pass_range(const Run *run, const MsPass *pass)
{
  gsize width = run->plan->request.region.width, height = run->band.count;
  MsNDRange range = {.dimensions = 2, .local = {pass->local[0], pass->local[1]}};

  if (pass->grid == MS_GRID_STRIPE) {
    width = run->plan->request.width + 2 * (gsize)pass->pad_x;
    height = run->held.count + 2 * (gsize)pass->pad_y;
  }
  if (pass->grid == MS_GRID_FIXED) {
    range.global[0] = pass->global[0];
    range.global[1] = MAX(pass->global[1], 1);
    return range;
  }
  range.global[0] = groups_up(width, pass->item_width, pass->local[0]);
  range.global[1] = groups_up(height, pass->item_height, pass->local[1]);
  return range;
}

static gboolean
launch_pass(Run *run, guint number, GError **error)
{
  const MsPass *pass = &run->plan->passes[number];
  MsNDRange range = pass_range(run, pass);
  guint64 bytes = (guint64)run->plan->request.region.width * run->band.count * 8;

  for (guint i = 0; i < pass->n_args; i++)
    if (!ms_cl_check(set_arg(run, run->kernels[number], i, pass->args[i], pass, (int)number), error,
                     "setting argument %u of the kernel %s", i, pass->function))
      return FALSE;
  return ms_context_launch(run->self->context, run->kernels[number], pass->function, &range, bytes, run->log, error);
}

static gboolean
launch_passes(Run *run, gboolean of_stripe, GError **error)
{
  for (guint i = 0; i < run->plan->n_passes; i++)
    if ((run->plan->passes[i].grid == MS_GRID_STRIPE) == of_stripe && !launch_pass(run, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
clear_scratch(Run *run, GError **error)
{
  const cl_uint zero = 0;

  for (guint i = 0; i < run->plan->n_scratch; i++) {
    const Store *store = &run->self->scratch[i];
    if (!run->plan->scratch[i].cleared)
      continue;
    if (!ms_cl_check(clEnqueueFillBuffer(ms_context_get_queue(run->self->context), store->mem, &zero, sizeof zero, 0,
                                         store->bytes / sizeof zero * sizeof zero, 0, NULL, NULL),
                     error, "clearing a scratch buffer"))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_band(Run *run, GError **error)
{
  if (g_cancellable_set_error_if_cancelled(run->cancellable, error))
    return FALSE;
  return clear_scratch(run, error) && launch_passes(run, FALSE, error) &&
         ms_context_finish(run->self->context, error);
}

static void
report_progress(Run *run)
{
  int top = run->plan->request.region.y;

  if (run->self->progress)
    run->self->progress(run->band.first + run->band.count - top, run->plan->request.region.height,
                        run->self->progress_data);
}

static gboolean
download_stripe(Run *run, GError **error)
{
  gsize stride = (gsize)run->plan->request.region.width * 4;
  gsize offset = (gsize)(run->stripe.first - run->plan->request.region.y) * stride;

  return ms_context_download(run->self->context, run->self->result.mem, 0, run->stripe.count * stride,
                             run->pixels + offset, run->log, error);
}

static gboolean
download_band(Run *run, GError **error)
{
  gsize stride = (gsize)run->plan->request.region.width * 4;
  gsize to = (gsize)(run->band.first - run->plan->request.region.y) * stride;
  gsize from = (gsize)(run->band.first - run->stripe.first) * stride;

  return ms_context_download(run->self->context, run->self->result.mem, from, run->band.count * stride,
                             run->pixels + to, NULL, error);
}

static gboolean
run_stripe(Run *run, GError **error)
{
  run->held = ms_bands_with_halo(run->stripe, run->plan->halo, run->plan->request.height);
  run->band = run->stripe;
  if (!upload_stripe(run, error) || !reserve_buffers(run, error) || !launch_passes(run, TRUE, error))
    return FALSE;
  for (int done = 0; done < run->stripe.count; done += run->band.count) {
    run->band = ms_bands_next(run->stripe, done, run->plan->band_rows);
    if (!run_band(run, error) || (run->self->early_rows && !download_band(run, error)))
      return FALSE;
    report_progress(run);
  }
  return download_stripe(run, error);
}

static gboolean
run_stripes(Run *run, GError **error)
{
  MsRows whole = {run->plan->request.region.y, run->plan->request.region.height};

  for (int done = 0; done < whole.count; done += run->stripe.count) {
    run->stripe = ms_bands_next(whole, done, run->plan->stripe_rows);
    if (!run_stripe(run, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
create_kernels(Run *run, GError **error)
{
  MsProgram *program = ms_context_build(run->self->context, run->plan->program, run->log, error);

  if (!program)
    return FALSE;
  for (guint i = 0; i < run->plan->n_passes; i++) {
    run->kernels[i] = ms_program_create_kernel(program, run->plan->passes[i].function, error);
    if (!run->kernels[i])
      return FALSE;
  }
  return TRUE;
}

static void
release_kernels(Run *run)
{
  for (guint i = 0; i < MS_PLAN_MAX_PASSES; i++)
    g_clear_pointer(&run->kernels[i], clReleaseKernel);
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
  MsPlanRequest request = ms_plan_request(settings, ms_context_get_limits(self->context), ms_image_get_width(source),
                                          ms_image_get_height(source));

  if (region)
    request.region = *region;
  request.memory_budget = self->memory_budget;
  return ms_plan_new(&request, error);
}

/**
 * ms_mean_shift_run_plan_into:
 * @source: the image that @plan was made for
 * @pixels: region width x region height x 4 bytes for the result
 * @log: (nullable): gets build, upload, kernel and download rows, resolved
 * @cancellable: (nullable): looked at before each band
 *
 * Returns: %FALSE with #MS_ERROR or G_IO_ERROR_CANCELLED. After #MS_ERROR_TIMEOUT the device may still write to @pixels,
 *   which must then never be freed.
 */
gboolean
ms_mean_shift_run_plan_into(MsMeanShift *self, MsImage *source, const MsPlan *plan, guint8 *pixels, MsTimingLog *log,
                            GCancellable *cancellable, GError **error)
{
  Run run = {.self = self,
             .plan = plan,
             .source = ms_image_get_pixels(source),
             .pixels = pixels,
             .log = log,
             .cancellable = cancellable};
  gboolean good = create_kernels(&run, error) && run_stripes(&run, error);

  release_kernels(&run);
  if (!good)
    return FALSE;
  return !log || ms_timing_log_resolve(log, error);
}

/** ms_mean_shift_run_plan: ms_mean_shift_run_plan_into() a new image with the source's metadata. */
MsImage *
ms_mean_shift_run_plan(MsMeanShift *self, MsImage *source, const MsPlan *plan, MsTimingLog *log,
                       GCancellable *cancellable, GError **error)
{
  const MsRegion *region = &plan->request.region;
  guint8 *pixels = g_try_malloc((gsize)region->width * region->height * 4);
  g_autoptr(GError) failure = NULL;

  if (!pixels) {
    g_set_error(error, MS_ERROR, MS_ERROR_MEMORY, "There is not enough memory for a result of %dx%d pixels.",
                region->width, region->height);
    return NULL;
  }
  if (ms_mean_shift_run_plan_into(self, source, plan, pixels, log, cancellable, &failure))
    return ms_image_new_take(region->width, region->height, pixels, ms_image_get_metadata(source));
  /* A hung device may wake up and write; a leak is the lesser evil. */
  if (!g_error_matches(failure, MS_ERROR, MS_ERROR_TIMEOUT))
    g_free(pixels);
  g_propagate_error(error, g_steal_pointer(&failure));
  return NULL;
}

/** ms_mean_shift_run: plans and runs. */
MsImage *
ms_mean_shift_run(MsMeanShift *self, MsImage *source, const MsSettings *settings, const MsRegion *region,
                  MsTimingLog *log, GCancellable *cancellable, GError **error)
{
  g_autoptr(MsPlan) plan = ms_mean_shift_plan(self, source, settings, region, error);

  return plan ? ms_mean_shift_run_plan(self, source, plan, log, cancellable, error) : NULL;
}
