/* SPDX-License-Identifier: MIT */
#include "core/filter/settings/filter-presets.h"

#include <gio/gio.h>
#include <string.h>

#include "core/filter/settings/ms-presets.h"
#include "core/folder.h"
#include "core/option/option.h"

#define BUILT_IN "/io/github/meanshift_lab/presets/presets.ini"

struct _MsPresets {
  GObject parent_instance;
  GKeyFile *built_in;
  GKeyFile *own;
  char *own_path;
};

G_DEFINE_FINAL_TYPE(MsPresets, ms_presets, G_TYPE_OBJECT)

static guint changed_signal;

static void
ms_presets_finalize(GObject *object)
{
  MsPresets *self = MS_PRESETS(object);

  g_key_file_unref(self->built_in);
  g_key_file_unref(self->own);
  g_free(self->own_path);
  G_OBJECT_CLASS(ms_presets_parent_class)->finalize(object);
}

static void
ms_presets_class_init(MsPresetsClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = ms_presets_finalize;
  changed_signal = g_signal_new("changed", MS_TYPE_PRESETS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
ms_presets_init(MsPresets *self)
{
  g_autoptr(GBytes) bytes = g_resource_lookup_data(ms_presets_get_resource(), BUILT_IN, 0, NULL);

  self->built_in = g_key_file_new();
  self->own = g_key_file_new();
  if (bytes)
    g_key_file_load_from_bytes(self->built_in, bytes, 0, NULL);
}

/** ms_presets_new: @own_path: (nullable): the file of the user's presets, %NULL for the default. */
MsPresets *
ms_presets_new(const char *own_path)
{
  MsPresets *self = g_object_new(MS_TYPE_PRESETS, NULL);

  self->own_path =
    own_path ? g_strdup(own_path) : g_build_filename(g_get_user_data_dir(), "meanshift-lab", "presets.ini", NULL);
  /* A missing or damaged file counts as an empty list and is replaced when a preset is saved. */
  g_key_file_load_from_file(self->own, self->own_path, 0, NULL);
  return self;
}

/** ms_presets_list: (transfer full): the names of the user's presets if @own, else of the built-in ones. */
GStrv
ms_presets_list(MsPresets *self, gboolean own)
{
  return g_key_file_get_groups(own ? self->own : self->built_in, NULL);
}

static gboolean
apply_key(GKeyFile *file, const char *name, const char *key, MsSettings *settings, GError **error)
{
  g_autofree char *value = g_key_file_get_string(file, name, key, NULL);
  const MsOptionInfo *option = ms_option_find(key);

  if (option && value)
    return ms_option_set_text(option, settings, value, error);
  ms_set_error(error, MS_ERROR_FORMAT, "The preset '%s' sets '%s', which this version lacks.", name, key);
  return FALSE;
}

/* Returns the file that has the preset; the error for an unknown name lists the known ones. */
static GKeyFile *
find_file(MsPresets *self, const char *name, GError **error)
{
  g_auto(GStrv) own = ms_presets_list(self, TRUE);
  g_auto(GStrv) built_in = ms_presets_list(self, FALSE);
  g_autoptr(GPtrArray) names = g_ptr_array_new();

  if (ms_choice_find((const char *const *)own, name) >= 0)
    return self->own;
  for (guint i = 0; built_in[i]; i++)
    g_ptr_array_add(names, built_in[i]);
  for (guint i = 0; own[i]; i++)
    g_ptr_array_add(names, own[i]);
  g_ptr_array_add(names, NULL);
  return ms_choice_parse((const char *const *)names->pdata, "--preset", name, error) < 0 ? NULL : self->built_in;
}

/** ms_presets_keys: (transfer full) (nullable): the names of the options that the preset sets. */
GStrv
ms_presets_keys(MsPresets *self, const char *name)
{
  GKeyFile *file = find_file(self, name, NULL);

  return file ? g_key_file_get_keys(file, name, NULL, NULL) : NULL;
}

/** ms_presets_apply: sets the options that the preset names and no others; on an error @settings is unchanged. */
gboolean
ms_presets_apply(MsPresets *self, const char *name, MsSettings *settings, GError **error)
{
  GKeyFile *file = find_file(self, name, error);
  g_auto(GStrv) keys = file ? g_key_file_get_keys(file, name, NULL, error) : NULL;
  MsSettings changed = *settings;

  if (!keys)
    return FALSE;
  for (guint i = 0; keys[i]; i++)
    if (!apply_key(file, name, keys[i], &changed, error))
      return FALSE;
  *settings = changed;
  return TRUE;
}

static gboolean
save(MsPresets *self, GError **error)
{
  if (!ms_folder_make_parent(self->own_path, MS_FOLDER_PRIVATE, error) ||
      !g_key_file_save_to_file(self->own, self->own_path, error))
    return FALSE;
  g_signal_emit(self, changed_signal, 0);
  return TRUE;
}

/** ms_presets_add: saves @settings under @name, replacing the user's preset of that name. */
gboolean
ms_presets_add(MsPresets *self, const char *name, const MsSettings *settings, GError **error)
{
  const MsOptionInfo *table = ms_options.rows;

  if (name[0] == '\0' || strpbrk(name, "[]\n")) {
    ms_set_error(error, MS_ERROR_USAGE, "A preset needs a name without brackets and line breaks.");
    return FALSE;
  }
  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], settings);
    g_key_file_set_string(self->own, name, table[i].name, value);
  }
  return save(self, error);
}

/** ms_presets_remove: removes one of the user's presets. */
gboolean
ms_presets_remove(MsPresets *self, const char *name, GError **error)
{
  return g_key_file_remove_group(self->own, name, error) && save(self, error);
}
