/* SPDX-License-Identifier: MIT */
#include "core/filter/plan/planner.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/filter/plan/kernels.h"
#include "core/filter/plan/plan-checks.h"
#include "core/filter/plan/plan-stripes.h"
#include "core/filter/pyramid/pyramid.h"

/**
 * ms_plan_request:
 *
 * Returns: a request for the whole image with the device's default memory budget
 */
MsPlanRequest
ms_plan_request(const MsSettings *settings, const MsDeviceLimits *limits, int width, int height)
{
  return (MsPlanRequest){
    .settings = *settings, .limits = *limits, .width = width, .height = height, .region = {0, 0, width, height}};
}

/* Modes are positions within the image, in 16 bits. */
static gboolean
check_modes(const MsPlanRequest *request, GError **error)
{
  const MsParams *p = &request->settings.params;

  if (!request->modes || p->rule != MS_RULE_REPLICATE)
    return request->modes ? ms_plan_check_extent(request, request->settings.options.kernel, error) : TRUE;
  ms_set_error_literal(error, MS_ERROR_UNSUPPORTED,
                       N_("Under --rule replicate pixels may converge outside the image, so that there are no regions; "
                          "choose --rule opencv."));
  return FALSE;
}

static gboolean
check_request(const MsPlanRequest *request, GError **error)
{
  const MsRegion *r = &request->region;

  g_return_val_if_fail(r->x >= 0 && r->y >= 0 && r->width > 0 && r->height > 0, FALSE);
  g_return_val_if_fail(r->x + r->width <= request->width && r->y + r->height <= request->height, FALSE);
  return ms_params_validate(&request->settings.params, error) && check_modes(request, error);
}

static int
halo_rows(const MsPlan *plan)
{
  gint64 rows = (gint64)plan->radius * plan->settings.params.max_iterations;

  return (int)MIN(rows, plan->request.height);
}

/* Plans the levels above, where `auto` may choose other kernels. */
static gboolean
plan_coarser(MsPlan *plan, const MsPlanRequest *request, GError **error)
{
  MsPlanRequest above = *request;
  const MsPyramidSize size = ms_pyramid_size(request->width, request->height, 1);

  if (!ms_plan_is_masked(plan))
    return TRUE;
  above.settings.params = ms_params_coarser(&request->settings.params);
  above.width = size.width;
  above.height = size.height;
  above.region = (MsRegion){0, 0, size.width, size.height};
  above.has_coarser = FALSE;
  plan->coarser = ms_plan_new(&above, error);
  return plan->coarser != NULL;
}

static MsPlan *
plan_kernel(const MsPlanRequest *request, MsKernel kernel, GError **error)
{
  const MsFilterKernel *info = ms_filter_kernel_find(kernel);
  g_autoptr(MsPlan) plan = g_new0(MsPlan, 1);

  plan->request = *request;
  plan->settings = request->settings;
  plan->settings.options.kernel = kernel;
  plan->program = ms_program_spec_new();
  if (!ms_params_whole_radius(&request->settings.params, MAX(request->width, request->height), &plan->radius))
    plan->radius = (int)ceilf(ms_params_numbers(&request->settings.params).sp);
  plan->halo = halo_rows(plan);
  if (!info->plan(plan, request, error) || !plan_coarser(plan, request, error))
    return NULL;
  ms_plan_add_space(plan);
  if (!ms_plan_cut_into_stripes(plan, error))
    return NULL;
  return g_steal_pointer(&plan);
}

static MsPlan *
plan_auto(const MsPlanRequest *request, GError **error)
{
  g_autoptr(GString) reasons = g_string_new(NULL);
  guint n = 0;
  const MsKernel *preference = ms_filter_kernel_preference(request, &n);

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
    g_string_append_printf(reasons, "%s%s: %s", reasons->len > 0 ? " " : "", ms_filter_kernel_name(preference[i]),
                           reason->message);
  }
  g_return_val_if_reached(NULL);
}

/**
 * ms_plan_new:
 *
 * Makes no OpenCL call, so that every rule can be tested with invented limits.
 *
 * Returns: (transfer full): the plan, or %NULL with #MS_ERROR_USAGE for a bad parameter or #MS_ERROR_UNSUPPORTED and
 *   the reason why this combination has no effect or does not fit the device
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
 * Returns: (transfer full) (nullable): why @value cannot be chosen with the other settings, as the window shows beside
 *   a disabled control
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
