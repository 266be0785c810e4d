/* SPDX-License-Identifier: MIT */
#include "core/engine/filter-modes.h"

static gboolean
check_reference(const MsParams *params, GError **error)
{
  if (params->rule != MS_RULE_REPLICATE)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "Regions need a rule under which pixels stay in the image.");
  return FALSE;
}

static MsImage *
filter_on_device(gpointer filter, const MsFilterRequest *request, GError **error)
{
  return ms_mean_shift_run(filter, request, error);
}

static MsImage *
filter_serially(gpointer run, const MsFilterRequest *request, GError **error)
{
  const MsModesRun *about = run;
  const MsParams *params = &request->settings->params;
  const MsReferenceRun reference = {
    .progress = about->progress, .progress_data = about->progress_data, .cancellable = request->cancellable};

  return check_reference(params, error)
           ? ms_reference_run_with_modes(request->source, params, request->modes, &reference, error)
           : NULL;
}

/**
 * ms_filter_modes_run_by:
 * @func: called once with @filter and @request, with memory for the modes
 * @request: of a whole image
 *
 * Returns: (transfer full): the result of @func, with the modes in @run, or %NULL with its error or #MS_ERROR_MEMORY
 */
MsImage *
ms_filter_modes_run_by(MsModesFilter func, gpointer filter, const MsFilterRequest *request, MsModesRun *run,
                       GError **error)
{
  const int width = ms_image_get_width(request->source), height = ms_image_get_height(request->source);
  MsFilterRequest with_modes = *request;
  MsImage *result;

  run->modes = with_modes.modes = g_try_new(guint16, 2 * (gsize)width * height);
  if (!run->modes) {
    ms_set_error(error, MS_ERROR_MEMORY, "There is not enough memory for the modes of %dx%d pixels.", width, height);
    return NULL;
  }
  result = func(filter, &with_modes, error);
  if (!result)
    g_clear_pointer(&run->modes, g_free);
  return result;
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
  const MsFilterRequest request = {
    .source = source, .settings = settings, .log = run->log, .cancellable = run->cancellable};

  if (filter)
    return ms_filter_modes_run_by(filter_on_device, filter, &request, run, error);
  return ms_filter_modes_run_by(filter_serially, run, &request, run, error);
}

/** ms_filter_modes_run: ms_filter_modes_run_on() a device, or by the serial reference where @context is %NULL. */
MsImage *
ms_filter_modes_run(MsContext *context, MsImage *source, const MsSettings *settings, MsModesRun *run, GError **error)
{
  g_autoptr(MsMeanShift) filter = context ? ms_mean_shift_new(context) : NULL;

  return ms_filter_modes_run_on(filter, source, settings, run, error);
}
