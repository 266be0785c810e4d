/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan-private.h"

/*
 * The study's kernel [MS]: one work-item computes one pixel. Its parts, in order: the mean (by rule and device), how a
 * pixel or a step of pixels is read (by memory object, access and unrolling), where it is read from (global memory or
 * the group's tile), the border of the image (by rule), and the iteration.
 */

static gboolean
refuse(GError **error, const char *reason)
{
  ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, reason);
  return FALSE;
}

static gboolean
check_toggles(const MsPlanRequest *request, GError **error)
{
  const MsToggles *o = &request->settings.options;
  const MsDeviceLimits *l = &request->limits;

  if (o->schedule == MS_SCHEDULE_REFILL && o->local_memory)
    return refuse(error,
                  "With --schedule refill a work-item takes pixels from all over its group's rows, more than the tile "
                  "of --local-memory on holds; choose one of the two.");
  if (o->memory == MS_MEMORY_IMAGE && o->access == MS_ACCESS_VLOAD)
    return refuse(error, "vload reads from buffers only; an image is read texel by texel. Choose --memory buffer or "
                         "--access pointer.");
  if (o->memory == MS_MEMORY_IMAGE && request->settings.params.levels > 0)
    return refuse(error, "The levels of a pyramid are made in buffers. Choose --memory buffer or --levels 0.");
  if (o->memory == MS_MEMORY_IMAGE && request->settings.params.space != MS_SPACE_RGB)
    return refuse(error, "Colours are converted in buffers. Choose --memory buffer or --space rgb.");
  if (o->memory == MS_MEMORY_IMAGE && !l->images)
    return refuse(error, "This device has no image objects; choose --memory buffer.");
  if (o->memory == MS_MEMORY_IMAGE && (gsize)request->width > l->image_max_width) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The image is %d pixels wide; image objects of this device end at %zu. Choose --memory "
                 "buffer.",
                 request->width, l->image_max_width);
    return FALSE;
  }
  return TRUE;
}

/* Rows of pixels for each row of work-items under `refill`: enough to balance pixels with few and many iterations. */
#define REFILL_ROWS 8

/*
 * The study found 128 work-items, 32 columns wide, fastest on its GPUs; on a processor long rows make loads contiguous.
 */
static void
resolve_work_group(MsToggles *options, const MsDeviceLimits *limits)
{
  gboolean gpu = limits->type == MS_DEVICE_TYPE_GPU;

  if (options->work_group_width > 0)
    return;
  options->work_group_width = gpu ? 32 : 64;
  options->work_group_height = gpu ? 4 : 1;
  while ((gsize)options->work_group_width > MIN(limits->max_work_group, limits->max_work_item[0]))
    options->work_group_width /= 2;
  while ((gsize)options->work_group_width * options->work_group_height > limits->max_work_group ||
         (gsize)options->work_group_height > limits->max_work_item[1])
    options->work_group_height /= 2;
}

static const char *
mean_part(MsRule rule, const MsDeviceLimits *limits)
{
  switch (rule) {
  case MS_RULE_TRUNCATE:
    return "prelude/mean-truncate.cl";
  case MS_RULE_REPLICATE:
    return "prelude/mean-float.cl";
  case MS_RULE_OPENCV:
    return limits->fp64 ? "prelude/mean-fp64.cl" : "prelude/mean-integer.cl";
  }
  g_return_val_if_reached(NULL);
}

/* The parts that load so many pixels at once; a further value of --unroll has a row here. */
static const struct {
  int unroll;
  const char *part;
} vload_steps[] = {{1, "direct/step-vload4.cl"}, {2, "direct/step-vload8.cl"}, {4, "direct/step-vload16.cl"}};

static const char *
step_part(const MsToggles *options)
{
  if (options->access == MS_ACCESS_POINTER)
    return "direct/step-pointer.cl";
  for (guint i = 0; i < G_N_ELEMENTS(vload_steps); i++)
    if (vload_steps[i].unroll == options->unroll)
      return vload_steps[i].part;
  g_return_val_if_reached(NULL);
}

static const char *
border_part(const MsParams *params, const MsToggles *options, int extent)
{
  gboolean image = options->memory == MS_MEMORY_IMAGE;
  int radius;

  if (params->rule == MS_RULE_REPLICATE)
    return image ? "direct/border-replicate-image.cl" : "direct/border-replicate.cl";
  if (!ms_params_whole_radius(params, extent, &radius))
    return image ? "direct/border-clip-half-image.cl" : "direct/border-clip-half.cl";
  return image ? "direct/border-clip-image.cl" : "direct/border-clip.cl";
}

static gboolean
refills(const MsToggles *options)
{
  return options->schedule == MS_SCHEDULE_REFILL;
}

/* Bytes of the tile, or under `refill` of the counter of the group's next pixel. */
static gsize
group_bytes(const MsToggles *options)
{
  if (refills(options))
    return sizeof(cl_int);
  return options->local_memory ? (gsize)options->work_group_width * options->work_group_height * 4 : 0;
}

static void
compose(MsPlan *plan)
{
  const MsToggles *o = &plan->settings.options;
  const MsParams *p = &plan->settings.params;
  const gboolean clips = o->memory == MS_MEMORY_IMAGE && p->rule != MS_RULE_REPLICATE;
  int extent = MAX(plan->request.width, plan->request.height);

  ms_plan_add_part(plan, "prelude/types.cl");
  ms_plan_add_part(plan, mean_part(p->rule, &plan->request.limits));
  ms_plan_add_part(plan, o->memory == MS_MEMORY_IMAGE ? "direct/source-image.cl" : "direct/source-buffer.cl");
  ms_plan_add_part(plan, step_part(o));
  ms_plan_add_part(plan, o->local_memory ? "direct/window-local.cl" : "direct/window-global.cl");
  ms_plan_add_part(plan, "direct/window-row.cl");
  ms_plan_add_part(plan, border_part(p, o, extent));
  /* Over an image object, work-groups whose windows stay inside it need no bounds arithmetic [MS]. */
  ms_plan_add_part(plan, clips ? "direct/group-inside.cl" : "direct/group-anywhere.cl");
  ms_plan_add_part(plan, "prelude/change.cl");
  ms_plan_add_marks(plan);
  ms_plan_add_part(plan, refills(o) ? "direct/mean-shift-refill.cl" : "direct/mean-shift-direct.cl");
  if (refills(o))
    ms_plan_define(plan, "REFILL_ROWS", REFILL_ROWS);
  ms_plan_define(plan, "UNROLL", o->unroll);
  ms_plan_define(plan, "TILE_WIDTH", o->work_group_width);
  ms_plan_define(plan, "TILE_HEIGHT", o->work_group_height);
}

/** ms_plan_direct: plans the study's kernel, to which every toggle applies. */
gboolean
ms_plan_direct(MsPlan *plan, GError **error)
{
  static const MsArg args[] = {MS_ARG_SOURCE, MS_ARG_RESULT, MS_ARG_IMAGE, MS_ARG_REGION,
                               MS_ARG_BAND,   MS_ARG_FILTER, MS_ARG_SP,    MS_ARG_LOCAL};
  MsToggles *options = &plan->settings.options;
  gsize bytes;
  MsPass *pass;

  if (!check_toggles(&plan->request, error))
    return FALSE;
  resolve_work_group(options, &plan->request.limits);
  bytes = group_bytes(options);
  if (!ms_plan_check_work_group(plan, options->work_group_width, options->work_group_height, bytes, error))
    return FALSE;
  compose(plan);
  plan->source_is_image = options->memory == MS_MEMORY_IMAGE;
  if (plan->source_is_image)
    ms_program_spec_require_images(plan->program, plan->request.limits.opencl_version);
  /* Local memory is the last argument, and absent where none is used. */
  pass = ms_plan_add_pass(plan, refills(options) ? "mean_shift_refill" : "mean_shift_direct", MS_GRID_BAND, args,
                          G_N_ELEMENTS(args) - (bytes ? 0 : 1));
  ms_plan_add_last_args(plan, pass);
  pass->local_bytes = bytes;
  pass->item_height = refills(options) ? REFILL_ROWS : 1;
  pass->local[0] = options->work_group_width;
  pass->local[1] = options->work_group_height;
  return TRUE;
}
