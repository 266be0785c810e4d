/* SPDX-License-Identifier: MIT */
#include "core/engine/device-settings.h"

/* Options that can be combined at any size of the image can be combined at this one. */
#define USUAL_SIDE 512

/** ms_device_settings_check: %FALSE with the plan's reason when @settings cannot run on this device. */
gboolean
ms_device_settings_check(MsContext *context, const MsSettings *settings, GError **error)
{
  MsPlanRequest request = ms_plan_request(settings, ms_context_get_limits(context), USUAL_SIDE, USUAL_SIDE);
  g_autoptr(MsPlan) plan = ms_plan_new(&request, error);

  return plan != NULL;
}
