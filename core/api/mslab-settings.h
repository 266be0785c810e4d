/* SPDX-License-Identifier: MIT */
/* MslabSettings: the parameters of the filter and the toggles of its kernels. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define MSLAB_TYPE_SETTINGS (mslab_settings_get_type())

G_DECLARE_FINAL_TYPE(MslabSettings, mslab_settings, MSLAB, SETTINGS, GObject)

MslabSettings *mslab_settings_new(void);
char **mslab_settings_list_names(void);
gboolean mslab_settings_set(MslabSettings *self, const char *name, const char *value, GError **error);
gboolean mslab_settings_set_number(MslabSettings *self, const char *name, double value, GError **error);
char *mslab_settings_get(MslabSettings *self, const char *name, GError **error);

G_END_DECLS
