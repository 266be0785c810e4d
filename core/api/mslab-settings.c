/* SPDX-License-Identifier: MIT */
#include "mslab-settings.h"

#include <glib/gi18n-lib.h>

#include "api-private.h"

/**
 * MslabSettings:
 *
 * The parameters of the filter (`sp`, `sr`, `max-iterations`, `epsilon`, `rule`, …) and the toggles that decide how
 * kernels compute it. The names, values and defaults are those of the command line; the manual page of the program
 * `meanshift-lab` describes them. Threads may share settings that no thread changes.
 */
struct _MslabSettings {
  GObject parent_instance;
  MsSettings settings;
};

G_DEFINE_FINAL_TYPE(MslabSettings, mslab_settings, G_TYPE_OBJECT)

static void
mslab_settings_class_init(MslabSettingsClass *klass)
{
}

static void
mslab_settings_init(MslabSettings *self)
{
  self->settings = ms_settings_default();
}

/* ms_api_settings_get: the settings of @self, or the defaults where it is %NULL. */
MsSettings
ms_api_settings_get(MslabSettings *self)
{
  return self ? self->settings : ms_settings_default();
}

/**
 * mslab_settings_new:
 *
 * Makes settings that have the defaults of the command line.
 *
 * Returns: (transfer full): the settings
 */
MslabSettings *
mslab_settings_new(void)
{
  return g_object_new(MSLAB_TYPE_SETTINGS, NULL);
}

/**
 * mslab_settings_list_names:
 *
 * Lists the names that mslab_settings_set() takes.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 */
char **
mslab_settings_list_names(void)
{
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();

  for (guint i = 0; i < ms_options.n_rows; i++)
    g_strv_builder_add(names, ms_options.rows[i].name);
  return g_strv_builder_end(names);
}

static const MsOptionInfo *
find(const char *name, GError **error)
{
  const MsOptionInfo *option = ms_option_find(name);

  if (!option)
    g_set_error(error, MSLAB_ERROR, MSLAB_ERROR_USAGE, _("There is no setting of the name '%s'."), name);
  return option;
}

/**
 * mslab_settings_set:
 * @self: settings
 * @name: a name such as `sp`
 * @value: the value as the command line takes it, such as `10.5`
 * @error: set to %MSLAB_ERROR_USAGE where the name or the value is wrong
 *
 * Changes one setting.
 *
 * Returns: %TRUE, or %FALSE with @error set and nothing changed
 */
gboolean
mslab_settings_set(MslabSettings *self, const char *name, const char *value, GError **error)
{
  g_return_val_if_fail(MSLAB_IS_SETTINGS(self) && name && value, FALSE);

  const MsOptionInfo *option = find(name, error);
  return option && ms_option_set_text(option, &self->settings, value, error);
}

/**
 * mslab_settings_set_number:
 * @self: settings
 * @name: a name such as `sp`
 * @value: the value
 * @error: set to %MSLAB_ERROR_USAGE where the name or the value is wrong
 *
 * Changes one setting to a number.
 *
 * Returns: %TRUE, or %FALSE with @error set and nothing changed
 */
gboolean
mslab_settings_set_number(MslabSettings *self, const char *name, double value, GError **error)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return mslab_settings_set(self, name, g_ascii_dtostr(text, sizeof text, value), error);
}

/**
 * mslab_settings_get:
 * @self: settings
 * @name: a name such as `sp`
 * @error: set to %MSLAB_ERROR_USAGE where there is no such setting
 *
 * Gets one setting as the command line writes it.
 *
 * Returns: (transfer full): the value, or %NULL with @error set
 */
char *
mslab_settings_get(MslabSettings *self, const char *name, GError **error)
{
  g_return_val_if_fail(MSLAB_IS_SETTINGS(self) && name, NULL);

  const MsOptionInfo *option = find(name, error);
  return option ? ms_option_get_text(option, &self->settings) : NULL;
}
