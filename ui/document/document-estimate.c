/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "core/filter/plan/planner.h"
#include "ui/document/document-private.h"
#include "ui/document/document-runs.h"
#include "ui/document/document-settings.h"

/* Pixels visited at most: the iterations of every pixel times the pixels of its window. */
static double
work_of(const MsSettings *settings, int width, int height)
{
  double side = 2 * floor(settings->params.sp) + 1;

  return (double)width * height * side * side * settings->params.max_iterations;
}

/* The kernel that `auto` stands for with @settings; -1 if they cannot run. */
static int
planned_kernel(MsDocument *self, const MsSettings *settings)
{
  MsPlanRequest request;
  g_autoptr(MsPlan) plan = NULL;

  if (ms_window_engine_is_reference(self->engine))
    return -1;
  if (!ms_document_plan_request(self, &request))
    return -1;
  request.settings = *settings;
  plan = ms_plan_new(&request, NULL);
  return plan ? plan->settings.options.kernel : -1;
}

/**
 * ms_document_estimate_ms:
 *
 * Estimates the kernel time of @settings from the newest run on the same device with the same kernel, in proportion to
 * the pixels that the two visit at most.
 *
 * Returns: milliseconds, negative when no such run has been measured
 */
double
ms_document_estimate_ms(MsDocument *self, const MsSettings *settings)
{
  GListModel *runs = ms_document_get_runs(self);
  MsDevice *device = ms_window_engine_get_device(self->engine);
  int kernel = planned_kernel(self, settings);
  double work = work_of(settings, ms_image_get_width(self->source), ms_image_get_height(self->source));

  for (guint i = g_list_model_get_n_items(runs); i-- > 0;) {
    g_autoptr(MsRun) run = g_list_model_get_item(runs, i);
    const MsSettings *used = ms_run_get_settings(run);
    if (ms_run_get_device(run) == device && (!device || used->options.kernel == kernel))
      return ms_run_get_kernel_ms(run) * work / work_of(used, ms_run_get_width(run), ms_run_get_height(run));
  }
  return -1;
}
