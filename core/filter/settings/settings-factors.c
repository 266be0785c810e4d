/* SPDX-License-Identifier: MIT */
#include "core/filter/settings/settings-factors.h"

/**
 * ms_settings_from_factors:
 * @factors: options by name, of an experiment or a tuned winner
 * @settings: (out): the defaults, changed by every option in @factors; other keys are ignored
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when an option does not accept its value
 */
gboolean
ms_settings_from_factors(const MsFactors *factors, MsSettings *settings, GError **error)
{
  *settings = ms_settings_default();
  for (guint i = 0; i < ms_factors_size(factors); i++) {
    const MsOptionInfo *option = ms_option_find(ms_factors_key(factors, i));
    if (option && !ms_option_set_text(option, settings, ms_factors_value(factors, i), error))
      return FALSE;
  }
  return ms_params_validate(&settings->params, error);
}
