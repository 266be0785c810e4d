/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/plan-private.h"

/*
 * The study's kernel [MS]: one work-item computes one pixel. Its parts say, in their order: the mean (by rule and
 * device), how a pixel is read (by memory object) and a step of pixels (by access), where they are read from (global
 * memory or the group's tile), the border of the image, one iteration, the mask, and the loop (by schedule).
 */

static gboolean
refuse(GError **error, const char *reason)
{
  ms_set_error_literal(error, MS_ERROR_UNSUPPORTED, reason);
  return FALSE;
}

static gboolean
check_toggles(const MsPlan *plan, GError **error)
{
  const MsToggles *o = &plan->settings.options;
  const MsDeviceLimits *l = plan->limits;

  if (o->schedule == MS_SCHEDULE_REFILL && o->local_memory)
    return refuse(error,
                  "With --schedule refill a work-item takes pixels from all over its group's rows, more than the tile "
                  "of --local-memory on holds; choose one of the two.");
  if (o->memory == MS_MEMORY_IMAGE && o->access == MS_ACCESS_VLOAD)
    return refuse(error, "vload reads from buffers only; an image is read texel by texel. Choose --memory buffer or "
                         "--access pointer.");
  if (o->memory == MS_MEMORY_IMAGE && plan->settings.params.levels > 0)
    return refuse(error, "The levels of a pyramid are made in buffers. Choose --memory buffer or --levels 0.");
  if (o->memory == MS_MEMORY_IMAGE && plan->settings.params.space != MS_SPACE_RGB)
    return refuse(error, "Colours are converted in buffers. Choose --memory buffer or --space rgb.");
  if (o->memory == MS_MEMORY_IMAGE && !l->images)
    return refuse(error, "This device has no image objects; choose --memory buffer.");
  if (o->memory == MS_MEMORY_IMAGE && (gsize)plan->width > l->image_max_width) {
    ms_set_error(error, MS_ERROR_UNSUPPORTED,
                 "The image is %d pixels wide; image objects of this device end at %zu. Choose --memory "
                 "buffer.",
                 plan->width, l->image_max_width);
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

/* Work-items that compute side by side at least, of a device that ends loops. */
#define LANES 4

/* Under `refill` the first work-items of a group may take all of its pixels. */
static gboolean
check_loops(const MsPlan *plan, GError **error)
{
  const MsToggles *o = &plan->settings.options;
  const guint64 side = 2 * (guint64)plan->radius + 1, unroll = (guint64)o->unroll;
  const guint64 pixels = refills(o) ? (guint64)o->work_group_width * o->work_group_height * REFILL_ROWS / LANES + 1 : 1;

  return ms_plan_check_loops(plan, pixels * plan->settings.params.max_iterations,
                             side * (1 + side / unroll + MIN(side, unroll - 1)), error);
}

static void
compose_direct(MsPlan *plan)
{
  const MsToggles *o = &plan->settings.options;
  const gboolean image = o->memory == MS_MEMORY_IMAGE, loads = o->access == MS_ACCESS_VLOAD;
  const char *const parts[] = {
    "prelude/names.cl",
    "prelude/types.cl",
    mean_part(plan->settings.params.rule, plan->limits),
    image ? "direct/source-image.cl" : "direct/source-buffer.cl",
    loads ? "direct/step-vload.cl" : "direct/step-pointer.cl",
    o->local_memory ? "direct/window-local.cl" : "direct/window-global.cl",
    "direct/border.cl",
    "direct/group-inside.cl",
    "direct/shift.cl",
    "prelude/marks.cl",
    refills(o) ? "direct/mean-shift-refill.cl" : "direct/mean-shift-direct.cl",
  };

  ms_plan_add_parts(plan, parts, G_N_ELEMENTS(parts));
  ms_plan_define(plan, "FROM_IMAGE", image);
  ms_plan_define(plan, "UNROLL", o->unroll);
  if (loads)
    ms_plan_define(plan, "STEP_BYTES", (gint64)(o->unroll * sizeof(cl_uchar4)));
  ms_plan_define(plan, "TILE_WIDTH", o->work_group_width);
  ms_plan_define(plan, "TILE_HEIGHT", o->work_group_height);
  if (refills(o))
    ms_plan_define(plan, "REFILL_ROWS", REFILL_ROWS);
}

/** ms_plan_direct: plans the study's kernel, to which every toggle applies. */
gboolean
ms_plan_direct(MsPlan *plan, GError **error)
{
  MsToggles *options = &plan->settings.options;
  gsize bytes;
  MsPass *pass;

  if (!check_toggles(plan, error))
    return FALSE;
  resolve_work_group(options, plan->limits);
  bytes = group_bytes(options);
  if (!ms_plan_check_work_group(plan, options->work_group_width, options->work_group_height, bytes, error) ||
      !check_loops(plan, error))
    return FALSE;
  compose_direct(plan);
  plan->source_is_image = options->memory == MS_MEMORY_IMAGE;
  if (plan->source_is_image)
    ms_program_spec_require_images(plan->program, plan->limits->opencl_version);
  pass =
    ms_plan_add_pass(plan, &(MsPass){refills(options) ? "mean_shift_refill" : "mean_shift_direct", MS_GRID_BAND,
                                     .item_height = refills(options) ? REFILL_ROWS : 1, .local_bytes = bytes,
                                     .local = {(gsize)options->work_group_width, (gsize)options->work_group_height},
                                     MS_PASS_ARGS(MS_ARG_SOURCE, MS_ARG_RESULT, MS_ARG_IMAGE, MS_ARG_REGION,
                                                  MS_ARG_BAND, MS_ARG_FILTER, MS_ARG_SP, MS_ARG_LOCAL)});
  /* Local memory is the last argument, and absent where none is used. */
  pass->n_args -= bytes == 0;
  ms_plan_add_last_args(plan, pass);
  return TRUE;
}
