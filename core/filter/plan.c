/* SPDX-License-Identifier: MIT */
#include "core/filter/plan.h"

#include <math.h>
#include <string.h>

#include "core/filter/bands.h"
#include "core/filter/kernels.h"

/*
 * Samples that one launch may test: about 0.1 s on a slow processor and on a fast GPU alike, short enough to cancel and
 * long enough that the launch itself does not count.
 */
#define CPU_SAMPLES_PER_BAND 2.5e8
#define GPU_SAMPLES_PER_BAND 1.0e11

/*
 * What a processor's stripes may take: more gains nothing there, and large images stay within a few times their size.
 */
#define CPU_BUDGET (G_GUINT64_CONSTANT(96) << 20)

/**
 * ms_plan_request:
 *
 * Returns: a request for the whole image with the device's usual memory budget
 */
MsPlanRequest
ms_plan_request(const MsSettings *settings, const MsDeviceLimits *limits, int width, int height)
{
  return (MsPlanRequest){
    .settings = *settings, .limits = *limits, .width = width, .height = height, .region = {0, 0, width, height}};
}

void
ms_plan_free(MsPlan *self)
{
  if (!self)
    return;
  g_clear_object(&self->program);
  g_free(self->rejected);
  g_free(self);
}

/** ms_plan_add_pass: (transfer none): appends a pass with one pixel an item; the caller sets what differs. */
MsPass *
ms_plan_add_pass(MsPlan *self, const char *function, MsGrid grid, const MsArg *args, guint n_args)
{
  MsPass *pass = &self->passes[self->n_passes++];

  g_assert(self->n_passes <= MS_PLAN_MAX_PASSES && n_args <= MS_PLAN_MAX_ARGS);
  *pass = (MsPass){.function = function, .grid = grid, .item_width = 1, .item_height = 1, .n_args = n_args};
  memcpy(pass->args, args, n_args * sizeof *args);
  return pass;
}

/** ms_plan_device_bytes: what the plan's largest buffers take together for stripes of so many rows of the region. */
guint64
ms_plan_device_bytes(const MsPlan *self, int stripe_rows)
{
  guint64 source_rows = MIN((guint64)self->request.height, (guint64)stripe_rows + 2 * (guint64)self->halo);
  guint64 bytes = source_rows * self->request.width * 4 + (guint64)stripe_rows * self->request.region.width * 4;

  for (guint i = 0; i < self->n_scratch; i++)
    bytes += source_rows * self->scratch[i].row_bytes + self->scratch[i].fixed_bytes;
  return bytes;
}

static guint64
memory_budget(const MsPlanRequest *request)
{
  const MsDeviceLimits *l = &request->limits;
  guint64 budget = l->global_memory / 2;

  if (l->type == MS_DEVICE_TYPE_CPU)
    budget = MIN(budget, CPU_BUDGET);
  if (request->memory_budget > 0)
    budget = MIN(budget, request->memory_budget);
  /* No single buffer is larger than the whole, so a budget of one allocation keeps each within it. */
  return MIN(budget, l->max_allocation);
}

static int
image_row_limit(const MsPlan *plan)
{
  if (!plan->source_is_image)
    return G_MAXINT;
  return (int)MIN((gsize)G_MAXINT, plan->request.limits.image_max_height);
}

static gboolean
cut_into_stripes(MsPlan *plan, GError **error)
{
  gboolean gpu = plan->request.limits.type == MS_DEVICE_TYPE_GPU;
  guint64 budget = memory_budget(&plan->request);
  int rows = ms_bands_stripe_rows(plan, budget);
  int limit = image_row_limit(plan);

  if (plan->request.height > limit)
    rows = MIN(rows, limit - 2 * plan->halo);
  if (rows < 1) {
    g_set_error(
      error, MS_ERROR, MS_ERROR_UNSUPPORTED,
      "One row of this image with its surroundings (%d rows of %d pixels) needs more than the %" G_GUINT64_FORMAT
      " MiB that the device offers.",
      2 * plan->halo + 1, plan->request.width, budget >> 20);
    return FALSE;
  }
  plan->stripe_rows = rows;
  ms_bands_pipeline(plan, budget);
  rows = plan->stripe_rows;
  plan->band_rows = MIN(rows, ms_bands_band_rows(plan, gpu ? GPU_SAMPLES_PER_BAND : CPU_SAMPLES_PER_BAND));
  return TRUE;
}

static gboolean
check_request(const MsPlanRequest *request, GError **error)
{
  const MsRegion *r = &request->region;

  g_return_val_if_fail(r->x >= 0 && r->y >= 0 && r->width > 0 && r->height > 0, FALSE);
  g_return_val_if_fail(r->x + r->width <= request->width && r->y + r->height <= request->height, FALSE);
  return ms_params_validate(&request->settings.params, error);
}

static int
halo_rows(const MsPlan *plan)
{
  gint64 rows = (gint64)plan->radius * plan->settings.params.max_iterations;

  return (int)MIN(rows, plan->request.height);
}

static MsPlan *
plan_kernel(const MsPlanRequest *request, MsKernel kernel, GError **error)
{
  const MsKernelInfo *info = ms_kernel_find(kernel);
  g_autoptr(MsPlan) plan = g_new0(MsPlan, 1);

  plan->request = *request;
  plan->settings = request->settings;
  plan->settings.options.kernel = kernel;
  plan->program = ms_program_spec_new();
  if (!ms_params_whole_radius(&request->settings.params, MAX(request->width, request->height), &plan->radius))
    plan->radius = (int)ceilf(ms_params_numbers(&request->settings.params).sp);
  plan->halo = halo_rows(plan);
  if (!info->plan(plan, request, error) || !cut_into_stripes(plan, error))
    return NULL;
  return g_steal_pointer(&plan);
}

static MsPlan *
plan_auto(const MsPlanRequest *request, GError **error)
{
  g_autoptr(GString) reasons = g_string_new(NULL);
  guint n = 0;
  const MsKernel *preference = ms_kernel_preference(request, &n);

  for (guint i = 0; i < n; i++) {
    g_autoptr(GError) reason = NULL;
    MsPlan *plan = plan_kernel(request, preference[i], &reason);
    if (plan) {
      plan->rejected = reasons->len > 0 ? g_strdup(reasons->str) : NULL;
      return plan;
    }
    if (i == n - 1) {
      g_propagate_error(error, g_steal_pointer(&reason));
      return NULL;
    }
    g_string_append_printf(reasons, "%s%s: %s", reasons->len > 0 ? " " : "", ms_kernel_name(preference[i]),
                           reason->message);
  }
  g_return_val_if_reached(NULL);
}

/**
 * ms_plan_new:
 *
 * Decides everything about a run without touching a device, so that any rule can be tested with made-up limits.
 *
 * Returns: (transfer full): the plan, or %NULL with #MS_ERROR_USAGE for a bad parameter or #MS_ERROR_UNSUPPORTED and
 *   the reason why this combination means nothing or does not fit the device
 */
MsPlan *
ms_plan_new(const MsPlanRequest *request, GError **error)
{
  if (!check_request(request, error))
    return NULL;
  if (request->settings.options.kernel == MS_KERNEL_AUTO)
    return plan_auto(request, error);
  return plan_kernel(request, request->settings.options.kernel, error);
}

/** ms_plan_refusal: (transfer full) (nullable): why the request cannot run, %NULL when it can. */
char *
ms_plan_refusal(const MsPlanRequest *request)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(MsPlan) plan = ms_plan_new(request, &error);

  return plan ? NULL : g_strdup(error->message);
}

/**
 * ms_plan_option_refusal:
 * @value: a value of @option as on the command line
 *
 * Returns: (transfer full) (nullable): why @value cannot be chosen with everything else as it is; what a window shows
 *   beside a greyed-out control
 */
char *
ms_plan_option_refusal(const MsPlanRequest *request, const MsOptionInfo *option, const char *value)
{
  MsPlanRequest changed = *request;
  g_autoptr(GError) error = NULL;

  if (!ms_option_set_text(option, &changed.settings, value, &error))
    return g_strdup(error->message);
  return ms_plan_refusal(&changed);
}
