/* SPDX-License-Identifier: MIT */
#include "core/engine/tuned.h"

#include "core/engine/problem-class.h"
#include "core/engine/winner-store.h"
#include "core/filter/plan/planner.h"
#include "core/filter/settings/settings-factors.h"
#include "core/reduce/reduce-options.h"

static MsFactors *
load_winner(MsDevice *device, const char *problem)
{
  MsWinnerKey key = {ms_device_get_name(device), ms_device_get_driver(device), problem};

  return ms_winner_store_load(NULL, &key, MS_VERSION);
}

/**
 * ms_tuned_settings:
 * @settings: the requested settings
 * @device: the device that will run it
 *
 * Resolves `--kernel auto` on a device that was tuned. The winner's toggles replace those of @settings when all toggles
 * of @settings are `auto` and the plan accepts the winner for an image of @width x @height pixels. The winner must be
 * of this device, driver, class of problem and version of the program.
 *
 * Returns: the settings to run; @settings themselves when there is no such winner
 */
MsSettings
ms_tuned_settings(const MsSettings *settings, MsDevice *device, int width, int height)
{
  MsSettings usual = ms_settings_default(), tuned;

  usual.params = settings->params;
  if (!ms_settings_equal(&usual, settings))
    return *settings;
  g_autofree char *problem = ms_problem_class_filter(settings->params.sp, width, height);
  g_autoptr(MsFactors) winner = load_winner(device, problem);
  if (!winner || !ms_settings_from_factors(winner, &tuned, NULL))
    return *settings;
  tuned.params = settings->params;
  MsPlanRequest request = ms_plan_request(&tuned, ms_device_get_limits(device), width, height);
  g_autofree char *refusal = ms_plan_refusal(&request);
  return refusal ? *settings : tuned;
}

/**
 * ms_tuned_reduce_options:
 * @options: (inout): the requested options; replaced by the winner's where there is one
 * @n: elements of the array
 *
 * Resolves `--variant auto` on a device that was tuned, under the conditions of ms_tuned_settings(). Reductions of a
 * channel are never tuned.
 *
 * Returns: whether @options are now the winner's
 */
gboolean
ms_tuned_reduce_options(const MsReduceSpec *spec, MsReduceOptions *options, guint64 n, MsDevice *device)
{
  MsReduceOptions usual = ms_reduce_options_auto(), tuned;
  MsReduceSpec plain = *spec;
  guint64 ignored;

  if (!ms_reduce_options_equal(&usual, options) || spec->channel >= 0)
    return FALSE;
  g_autofree char *problem = ms_problem_class_reduce(spec, n);
  g_autoptr(MsFactors) winner = load_winner(device, problem);
  if (!winner || !ms_reduce_from_factors(winner, &plain, &tuned, &ignored, NULL) || tuned.automatic)
    return FALSE;
  g_autofree char *refusal = ms_reduce_plan_refusal(spec, &tuned, ms_device_get_limits(device), n);
  if (!refusal)
    *options = tuned;
  return refusal == NULL;
}
