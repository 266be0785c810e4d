/* SPDX-License-Identifier: MIT */
#include "core/engine/filter-modes.h"

static gboolean
check_reference(const MsParams *params, GError **error)
{
  if (params->levels == 0 && params->rule != MS_RULE_REPLICATE)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "Regions need --levels 0, and a rule under which pixels stay in the image.");
  return FALSE;
}

static MsImage *
filter_into(MsMeanShift *filter, MsImage *source, const MsSettings *settings, const MsModesRun *run, GError **error)
{
  const MsFilterRequest request = {
    .source = source, .settings = settings, .modes = run->modes, .log = run->log, .cancellable = run->cancellable};
  const MsReferenceRun reference = {
    .progress = run->progress, .progress_data = run->progress_data, .cancellable = run->cancellable};

  if (filter)
    return ms_mean_shift_run(filter, &request, error);
  return check_reference(&settings->params, error)
           ? ms_reference_run_with_modes(source, &settings->params, run->modes, &reference, error)
           : NULL;
}

/**
 * ms_filter_modes_run_on:
 * @filter: (nullable): the filter on a device, which reports its own progress; %NULL for the serial reference
 *
 * Returns: (transfer full): the filtered image, or %NULL with @error set: #MS_ERROR_USAGE or #MS_ERROR_UNSUPPORTED for
 *   settings without modes
 */
MsImage *
ms_filter_modes_run_on(MsMeanShift *filter, MsImage *source, const MsSettings *settings, MsModesRun *run,
                       GError **error)
{
  g_autoptr(GError) failure = NULL;
  MsImage *result;

  run->modes = g_try_new(guint16, 2 * (gsize)ms_image_get_width(source) * ms_image_get_height(source));
  if (!run->modes) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the modes of %dx%d pixels.",
                 ms_image_get_width(source), ms_image_get_height(source));
    return NULL;
  }
  result = filter_into(filter, source, settings, run, &failure);
  if (result)
    return result;
  /* A device that did not answer in time may still write to the modes, so they are never freed. */
  if (!g_error_matches(failure, MS_ERROR, MS_ERROR_TIMEOUT))
    g_free(run->modes);
  run->modes = NULL;
  g_propagate_error(error, g_steal_pointer(&failure));
  return NULL;
}

/** ms_filter_modes_run: ms_filter_modes_run_on() a device, or by the serial reference where @context is %NULL. */
MsImage *
ms_filter_modes_run(MsContext *context, MsImage *source, const MsSettings *settings, MsModesRun *run, GError **error)
{
  g_autoptr(MsMeanShift) filter = context ? ms_mean_shift_new(context) : NULL;

  return ms_filter_modes_run_on(filter, source, settings, run, error);
}
