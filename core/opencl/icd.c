/* SPDX-License-Identifier: MIT */
#include "core/opencl/icd.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

#define VENDORS_VARIABLE "OCL_ICD_VENDORS"
#define LIBRARIES_VARIABLE "OCL_ICD_FILENAMES"
#define VENDORS_FOLDER "/etc/OpenCL/vendors"
#define SUFFIX ".icd"

/* The name of VENDORS_VARIABLE in other loaders. */
#define OLD_VENDORS_VARIABLE "OPENCL_VENDOR_PATH"

/* Where libraries lie besides the folders of LD_LIBRARY_PATH. */
#define LIBRARY_FOLDERS                                                                                                \
  "/usr/local/lib:/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib/riscv64-linux-gnu:/usr/lib64:/usr/lib"

/* The files in which the drivers that are left out are kept: a group for each, with the following keys. */
#define KEY_STAMP "stamp"
#define KEY_HOW "how"

static char *
own_folder(const char *name)
{
  return g_build_filename(g_get_user_cache_dir(), "meanshift-lab", name, NULL);
}

/* (transfer full): the file that says which drivers are left out. */
static char *
notes_path(void)
{
  return own_folder("drivers-left-out");
}

/* Names of groups have no brackets. */
static char *
group_of(const char *file)
{
  return g_uri_escape_string(file, "/", TRUE);
}

/* Stamps: what changes when a driver is installed, updated or repaired */

/* (transfer full) (nullable): the file of a library that is named as in an ICD file. */
static char *
find_library(const char *name)
{
  const char *paths = g_getenv("LD_LIBRARY_PATH");
  g_autofree char *all = g_strjoin(":", paths ? paths : "", LIBRARY_FOLDERS, NULL);
  g_auto(GStrv) folders = g_strsplit(all, ":", -1);

  if (strchr(name, '/'))
    return g_strdup(name);
  for (gsize i = 0; folders[i]; i++) {
    g_autofree char *path = folders[i][0] ? g_build_filename(folders[i], name, NULL) : NULL;
    if (path && g_file_test(path, G_FILE_TEST_EXISTS))
      return g_steal_pointer(&path);
  }
  return NULL;
}

static void
append_stamp(GString *stamp, const char *path)
{
  struct stat info;

  if (path && stat(path, &info) == 0)
    g_string_append_printf(stamp, "%" G_GINT64_FORMAT ".%09ld %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT ";",
                           (gint64)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, (gint64)info.st_size,
                           (guint64)info.st_ino);
}

/* (transfer full): time, size and inode of an ICD file and of the library that it names, or of a library. */
static char *
stamp_of(const char *file)
{
  GString *stamp = g_string_new(NULL);
  g_autofree char *text = NULL;
  g_autofree char *library = NULL;

  if (!g_str_has_suffix(file, SUFFIX))
    library = find_library(file);
  else if (g_file_get_contents(file, &text, NULL, NULL))
    library = find_library(g_strstrip(text));
  append_stamp(stamp, file);
  append_stamp(stamp, library);
  return g_string_free(stamp, FALSE);
}

/* The list */

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_folder(GPtrArray *files, const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir)))
    if (g_str_has_suffix(name, SUFFIX))
      g_ptr_array_add(files, g_build_filename(folder, name, NULL));
  g_ptr_array_sort(files, compare_names);
}

static const char *
value_of(const char *variable)
{
  const char *value = g_getenv(variable);

  return value && *value ? value : NULL;
}

/* (transfer full): every file whose driver the loader would load. */
static GPtrArray *
list_all(void)
{
  GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
  const char *vendors = value_of(VENDORS_VARIABLE), *libraries = value_of(LIBRARIES_VARIABLE);

  if (!vendors)
    vendors = value_of(OLD_VENDORS_VARIABLE);
  if (!vendors)
    vendors = VENDORS_FOLDER;
  if (g_file_test(vendors, G_FILE_TEST_IS_DIR))
    add_folder(files, vendors);
  else
    g_ptr_array_add(files, g_strdup(vendors));
  g_auto(GStrv) more = g_strsplit(libraries ? libraries : "", ":", -1);
  for (gsize i = 0; more[i]; i++)
    g_ptr_array_add(files, g_strdup(more[i]));
  return files;
}

/* (transfer full) (nullable): why a file is left out. */
static char *
find_reason(GKeyFile *notes, const char *file)
{
  g_autofree char *group = group_of(file), *stamp = stamp_of(file);
  g_autofree char *noted = g_key_file_get_string(notes, group, KEY_STAMP, NULL);

  return noted && strcmp(noted, stamp) == 0 ? g_key_file_get_string(notes, group, KEY_HOW, NULL) : NULL;
}

/* (transfer full) (nullable): what was noted; %NULL if no driver was ever left out. */
static GKeyFile *
load_notes(void)
{
  g_autofree char *path = notes_path();
  g_autoptr(GKeyFile) notes = g_key_file_new();

  return g_key_file_load_from_file(notes, path, G_KEY_FILE_NONE, NULL) ? g_steal_pointer(&notes) : NULL;
}

/* Leaving out */

/**
 * ms_icd_leave_out: has all processes of this user leave out the driver of @file until it changes.
 * @how: what it did, as a clause
 *
 * Returns: %FALSE with #MS_ERROR_IO if that cannot be kept
 */
gboolean
ms_icd_leave_out(const char *file, const char *how, GError **error)
{
  g_autoptr(GKeyFile) notes = load_notes();
  g_autofree char *path = notes_path(), *folder = g_path_get_dirname(path), *group = group_of(file),
                  *stamp = stamp_of(file), *valid = g_utf8_make_valid(how, -1);
  g_autoptr(GError) reason = NULL;

  if (!notes)
    notes = g_key_file_new();
  g_key_file_set_string(notes, group, KEY_STAMP, stamp);
  g_key_file_set_string(notes, group, KEY_HOW, valid);
  if (g_mkdir_with_parents(folder, 0700) == 0 && g_key_file_save_to_file(notes, path, &reason))
    return TRUE;
  ms_set_error(error, MS_ERROR_IO, "'%s' cannot be written, so that the driver of '%s' cannot be left out; remove it.",
               path, file);
  return FALSE;
}

/* (transfer full): a sentence on a driver that is left out because of @how, a clause. */
static char *
describe_left_out(const char *file, const char *how)
{
  g_autofree char *path = notes_path();

  return g_strdup_printf(_("The OpenCL driver of '%s' is left out, because the process that loaded it alone did not "
                           "survive: %s. It is tried again when it changes, or when '%s' is deleted."),
                         file, how, path);
}

/*
 * (transfer full): the files whose drivers are not left out; @notes: (nullable); @sentences: (nullable): gets one for
 * each driver that is, a line each
 */
static GStrv
list_kept(GKeyFile *notes, GString *sentences)
{
  g_autoptr(GPtrArray) all = list_all();
  g_autoptr(GStrvBuilder) kept = g_strv_builder_new();

  for (guint i = 0; i < all->len; i++) {
    g_autofree char *reason = notes ? find_reason(notes, all->pdata[i]) : NULL;
    g_autofree char *sentence = reason ? describe_left_out(all->pdata[i], reason) : NULL;
    if (!reason)
      g_strv_builder_add(kept, all->pdata[i]);
    else if (sentences)
      g_string_append_printf(sentences, "%s%s", sentences->len > 0 ? "\n" : "", sentence);
  }
  return g_strv_builder_end(kept);
}

/** ms_icd_list: (transfer full): the files whose drivers the loader loads, without those that are left out. */
GStrv
ms_icd_list(void)
{
  g_autoptr(GKeyFile) notes = load_notes();

  return list_kept(notes, NULL);
}

/* (transfer full) (nullable): a folder that holds links to the ICD files among @files and nothing else. */
static char *
make_folder(const char *const *files)
{
  g_autofree char *list = g_strjoinv("\n", (GStrv)files);
  g_autofree char *name = g_compute_checksum_for_string(G_CHECKSUM_SHA256, list, -1);
  g_autofree char *parent = own_folder("drivers");
  g_autofree char *folder = g_build_filename(parent, name, NULL);

  if (g_mkdir_with_parents(folder, 0700) != 0)
    return NULL;
  for (gsize i = 0; files[i]; i++) {
    g_autofree char *base = g_path_get_basename(files[i]);
    g_autofree char *link = g_build_filename(folder, base, NULL);
    if (g_str_has_suffix(base, SUFFIX) && symlink(files[i], link) != 0 && !g_file_test(link, G_FILE_TEST_IS_SYMLINK))
      return NULL;
  }
  return g_steal_pointer(&folder);
}

/* Has the loader load the drivers of @files alone. */
static gboolean
use_only(const char *const *files)
{
  g_autofree char *folder = make_folder(files);
  g_autoptr(GString) libraries = g_string_new(NULL);

  if (!folder)
    return FALSE;
  for (gsize i = 0; files[i]; i++)
    if (!g_str_has_suffix(files[i], SUFFIX))
      g_string_append_printf(libraries, "%s%s", libraries->len > 0 ? ":" : "", files[i]);
  g_setenv(VENDORS_VARIABLE, folder, TRUE);
  if (libraries->len > 0)
    g_setenv(LIBRARIES_VARIABLE, libraries->str, TRUE);
  else
    g_unsetenv(LIBRARIES_VARIABLE);
  return TRUE;
}

/* (transfer full) (nullable): a sentence for each driver that is left out, a line each. */
static char *
leave_out(GKeyFile *notes)
{
  g_autoptr(GString) sentences = g_string_new(NULL);
  g_auto(GStrv) files = list_kept(notes, sentences);

  return sentences->len > 0 && use_only((const char *const *)files) ? g_string_free(g_steal_pointer(&sentences), FALSE)
                                                                    : NULL;
}

static gpointer
prepare_icd_once(gpointer unused)
{
  const char *only = g_getenv(MS_ICD_VARIABLE);
  g_autoptr(GKeyFile) notes = only ? NULL : load_notes();

  if (only)
    use_only((const char *const[]){only, NULL});
  return notes ? leave_out(notes) : NULL;
}

/**
 * ms_icd_prepare:
 *
 * Has the loader of OpenCL leave out the drivers that are to be left out; once in a process, before the first call of
 * OpenCL. It sets environment variables, as ms_driver_cache_prepare() does.
 *
 * Returns: (nullable): a sentence on each driver that is left out, a line each
 */
const char *
ms_icd_prepare(void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once(&once, prepare_icd_once, NULL);
}
