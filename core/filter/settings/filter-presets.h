/* SPDX-License-Identifier: MIT */
/* MsPresets: named filter settings: the built-in ones and the user's. */
#pragma once

#include <glib-object.h>

#include "core/filter/settings/settings.h"

#define MS_TYPE_PRESETS (ms_presets_get_type())
/* Signal: "changed" (): the user's presets were read, by this process or since another one has changed them. */
G_DECLARE_FINAL_TYPE(MsPresets, ms_presets, MS, PRESETS, GObject)

/** MS_PRESETS_LONGEST_NAME: characters of the name of a preset that is saved. */
#define MS_PRESETS_LONGEST_NAME 100

MsPresets *ms_presets_new(const char *own_path);
MsPresets *ms_presets_shared(void);
GStrv ms_presets_list(MsPresets *self, gboolean own);
GStrv ms_presets_keys(MsPresets *self, const char *name);
gboolean ms_presets_apply(MsPresets *self, const char *name, MsSettings *settings, GError **error);
gboolean ms_presets_add(MsPresets *self, const char *name, const MsSettings *settings, GError **error);
gboolean ms_presets_remove(MsPresets *self, const char *name, GError **error);
