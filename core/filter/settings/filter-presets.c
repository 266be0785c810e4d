/* SPDX-License-Identifier: MIT */
#include "core/filter/settings/filter-presets.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/filter/settings/ms-presets.h"
#include "core/folder.h"
#include "core/option/option.h"
#include "core/text.h"

#define BUILT_IN "/io/github/meanshift_lab/presets/presets.ini"

struct _MsPresets {
  GObject parent_instance;
  GKeyFile *built_in;
  GKeyFile *own;
  char *own_path;
  GFileMonitor *monitor; /* (nullable): of the file, of the shared list */
};

G_DEFINE_FINAL_TYPE(MsPresets, ms_presets, G_TYPE_OBJECT)

static guint changed_signal;

static void
ms_presets_finalize(GObject *object)
{
  MsPresets *self = MS_PRESETS(object);

  g_key_file_unref(self->built_in);
  g_key_file_unref(self->own);
  g_clear_object(&self->monitor);
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

/* (transfer full) (nullable): what the file holds now; a missing file is empty, a damaged one an error. */
static GKeyFile *
read_own(MsPresets *self, GError **error)
{
  g_autoptr(GKeyFile) own = g_key_file_new();
  g_autoptr(GError) failure = NULL;

  if (g_key_file_load_from_file(own, self->own_path, G_KEY_FILE_KEEP_COMMENTS, &failure) ||
      g_error_matches(failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return g_steal_pointer(&own);
  ms_set_error(error, MS_ERROR_FORMAT, "The presets in '%s' cannot be read (%s). Repair the file, or move it away.",
               self->own_path, failure->message);
  return NULL;
}

/* Takes over what the file holds. Where it is damaged, what was read before stays: someone may be editing it. */
static void
reload(MsPresets *self)
{
  GKeyFile *own = read_own(self, NULL);

  if (!own)
    return;
  g_key_file_unref(self->own);
  self->own = own;
  g_signal_emit(self, changed_signal, 0);
}

/** ms_presets_new: @own_path: (nullable): the file of the user's presets, %NULL for the default. */
MsPresets *
ms_presets_new(const char *own_path)
{
  MsPresets *self = g_object_new(MS_TYPE_PRESETS, NULL);

  self->own_path =
    own_path ? g_strdup(own_path) : g_build_filename(g_get_user_data_dir(), "meanshift-lab", "presets.ini", NULL);
  reload(self);
  return self;
}

/**
 * ms_presets_shared: (transfer full): the list that all windows and panels of a program show. It is read again, from
 * the main loop, whenever another process has changed the file.
 */
MsPresets *
ms_presets_shared(void)
{
  static GWeakRef shared;
  MsPresets *self = g_weak_ref_get(&shared);

  if (self)
    return self;
  self = ms_presets_new(NULL);
  g_autoptr(GFile) file = g_file_new_for_path(self->own_path);
  self->monitor = g_file_monitor_file(file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor)
    g_signal_connect_object(self->monitor, "changed", G_CALLBACK(reload), self, G_CONNECT_SWAPPED);
  g_weak_ref_set(&shared, self);
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

/*
 * Returns the file that has the preset; the error for an unknown name lists the known ones, or says that the user's
 * cannot be read.
 */
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
  if (ms_choice_find((const char *const *)built_in, name) < 0) {
    g_autoptr(GKeyFile) readable = read_own(self, error);
    if (!readable)
      return NULL;
  }
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

/* One change of the list. */
typedef struct {
  const char *name;
  const MsSettings *settings; /* (nullable): %NULL removes the preset */
} Change;

static gboolean
apply_change(GKeyFile *own, const Change *change, GError **error)
{
  const MsOptionInfo *table = ms_options.rows;

  if (!change->settings)
    return g_key_file_remove_group(own, change->name, error);
  g_key_file_remove_group(own, change->name, NULL); /* a key of another version of the program would make it invalid */
  for (guint i = 0; i < ms_options.n_rows; i++) {
    g_autofree char *value = ms_option_get_text(&table[i], change->settings);
    g_key_file_set_string(own, change->name, table[i].name, value);
  }
  return TRUE;
}

/*
 * Holds back other processes that change the file, until the descriptor of its folder is closed. Where the file system
 * has no such locks, two changes within a moment may still meet.
 */
static int
lock(MsPresets *self)
{
  g_autofree char *folder = g_path_get_dirname(self->own_path);
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0)
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
      ;
  return fd;
}

static gboolean
change_file(MsPresets *self, const Change *change, GError **error)
{
  g_autoptr(GKeyFile) own = read_own(self, error);

  return own && apply_change(own, change, error) && g_key_file_save_to_file(own, self->own_path, error);
}

/* Changes what the file holds now, which another window or process may have changed after it was read. */
static gboolean
change_own(MsPresets *self, const Change *change, GError **error)
{
  if (!ms_folder_make_parent(self->own_path, MS_FOLDER_PRIVATE, error))
    return FALSE;
  const int fd = lock(self);
  const gboolean good = change_file(self, change, error);
  if (fd >= 0)
    close(fd);
  reload(self);
  return good;
}

/* Whether the file, a list and a terminal show the name as it is. */
static gboolean
is_plain(const char *name)
{
  g_autofree char *shown = ms_printable(name, "");

  return name[0] != '\0' && !strpbrk(name, "[]") && g_str_equal(name, shown) &&
         g_utf8_strlen(name, -1) <= MS_PRESETS_LONGEST_NAME;
}

/** ms_presets_add: saves @settings under @name, replacing the user's preset of that name. */
gboolean
ms_presets_add(MsPresets *self, const char *name, const MsSettings *settings, GError **error)
{
  const Change change = {name, settings};

  if (!is_plain(name)) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "A preset needs a name of up to %d characters without brackets and control characters.",
                 MS_PRESETS_LONGEST_NAME);
    return FALSE;
  }
  return change_own(self, &change, error);
}

/** ms_presets_remove: removes one of the user's presets. */
gboolean
ms_presets_remove(MsPresets *self, const char *name, GError **error)
{
  const Change change = {name, NULL};

  return change_own(self, &change, error);
}
