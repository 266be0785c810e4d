/* SPDX-License-Identifier: MIT */
#include "core/lab/tune/tuned.h"

#include "core/filter/planner.h"
#include "core/filter/settings-factors.h"
#include "core/lab/tune/tune-store.h"
#include "core/reduce/reduce-factors.h"

static MsFactors *
load_winner(MsDevice *device, const char *problem)
{
  return ms_tune_store_load_winner(NULL, ms_device_get_name(device), ms_device_get_driver(device), problem, MS_VERSION);
}

/**
 * ms_lab_tuned_settings:
 * @settings: what was asked for
 * @device: what is going to run it
 *
 * What `--kernel auto` means on a device that was tuned: when @settings leave the kernel and all toggles to
 * the program, and there
 * is a winner for this device, this very driver, this version of the program and this class of problem, which
 * the plan accepts
 * for this image, the winner's toggles take their place.
 *
 * Returns: the settings to run; @settings themselves when there is nothing better
 */
MsSettings
ms_lab_tuned_settings(const MsSettings *settings, MsDevice *device, int width, int height)
{
  MsSettings usual = ms_settings_default(), tuned;

  usual.params = settings->params;
  if (!ms_settings_equal(&usual, settings))
    return *settings;
  g_autofree char *problem = ms_tune_problem_class(settings->params.sp, width, height);
  g_autoptr(MsFactors) winner = load_winner(device, problem);
  if (!winner || !ms_settings_from_factors(winner, &tuned, NULL))
    return *settings;
  tuned.params = settings->params;
  MsPlanRequest request = ms_plan_request(&tuned, ms_device_get_limits(device), width, height);
  g_autofree char *refusal = ms_plan_refusal(&request);
  return refusal ? *settings : tuned;
}

/**
 * ms_lab_tuned_reduce_options:
 * @options: (inout): what was asked for; the winner's where there is one
 * @n: elements of the array
 *
 * What `--variant auto` means on a device that was tuned, under the conditions of ms_lab_tuned_settings().
 * Channels of images and
 * positions are never tuned, so they stay as they are.
 *
 * Returns: whether @options are now the winner's
 */
gboolean
ms_lab_tuned_reduce_options(const MsReduceSpec *spec, MsReduceOptions *options, guint64 n, MsDevice *device)
{
  MsReduceOptions usual = ms_reduce_options_auto(), tuned;
  MsReduceSpec plain = *spec;
  guint64 ignored;

  if (!ms_reduce_options_equal(&usual, options) || spec->positions || spec->channel >= 0)
    return FALSE;
  g_autofree char *problem = ms_tune_reduce_class(spec, n);
  g_autoptr(MsFactors) winner = load_winner(device, problem);
  if (!winner || !ms_reduce_from_factors(winner, &plain, &tuned, &ignored, NULL) || tuned.automatic)
    return FALSE;
  g_autofree char *refusal = ms_reduce_plan_refusal(spec, &tuned, ms_device_get_limits(device), n);
  if (!refusal)
    *options = tuned;
  return refusal == NULL;
}
