/* SPDX-License-Identifier: MIT */
#include "core/engine/device-settings.h"

#include "core/lab/tune/tuned.h"

/* A size at which every combination of options that works at all can be planned. */
#define USUAL_SIDE 512

/** ms_device_settings_check: whether such settings can run on this device at all, before any image is read. */
gboolean
ms_device_settings_check(MsContext *context, const MsSettings *settings, GError **error)
{
  MsPlanRequest request = ms_plan_request(settings, ms_context_get_limits(context), USUAL_SIDE, USUAL_SIDE);
  g_autoptr(MsPlan) plan = ms_plan_new(&request, error);

  return plan != NULL;
}

/** ms_device_settings_tuned: @settings, or in their place the winner of this device; see ms_lab_tuned_settings(). */
MsSettings
ms_device_settings_tuned(MsContext *context, MsImage *source, const MsSettings *settings)
{
  return ms_lab_tuned_settings(settings, ms_context_get_device(context), ms_image_get_width(source),
                               ms_image_get_height(source));
}
