/* SPDX-License-Identifier: MIT */
#include "core/batch/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/image/codec.h"
#include "core/image/image-io.h"

typedef struct {
  GPtrArray *inputs;
  gboolean recursive;
  gboolean hidden;
  struct stat output; /* identity of the output folder; inode 0 when there is none */
} Walk;

static void
input_free(gpointer data)
{
  MsInput *self = data;

  g_free(self->path);
  g_free(self->relative);
  g_clear_error(&self->problem);
  g_free(self);
}

static MsInput *
add_input(Walk *walk, const char *path, const char *relative)
{
  MsInput *input = g_new0(MsInput, 1);

  input->path = g_strdup(path);
  input->relative = g_strdup(relative);
  g_ptr_array_add(walk->inputs, input);
  return input;
}

/*
 * Recognises an image by its extension, so that a damaged one is reported, or by its first bytes. A file that cannot be
 * read counts as an image and fails later with the reason.
 */
static gboolean
looks_like_image(const char *path)
{
  guint8 start[MS_CODEC_MAGIC_SIZE];
  gssize n = 0;

  if (ms_codec_from_path(path) != MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  int fd = ms_file_open(path, FALSE);
  if (fd < 0)
    return errno != ENOENT && errno != ESPIPE; /* neither a dangling link nor a pipe is an image */
  n = read(fd, start, sizeof start);
  close(fd);
  return n > 0 && ms_codec_sniff(start, (gsize)n) != MS_IMAGE_FORMAT_AUTO;
}

static gboolean
is_wanted(const Walk *walk, const char *name)
{
  if (name[0] != '.')
    return TRUE;
  return walk->hidden && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
         !(g_str_has_prefix(name, ".ms-") && g_str_has_suffix(name, ".tmp"));
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts by bytes, so that images have the same numbers on every machine. Temporary files are omitted. */
static GPtrArray *
folder_entries(const Walk *walk, const char *path, GError **problem)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  DIR *folder = opendir(path);
  struct dirent *entry;

  if (!folder) {
    ms_set_error(problem, MS_ERROR_IO, "The folder '%s' cannot be read: %s.", path, ms_errno_text(errno));
    return names;
  }
  while ((entry = readdir(folder)))
    if (is_wanted(walk, entry->d_name))
      g_ptr_array_add(names, g_strdup(entry->d_name));
  closedir(folder);
  g_ptr_array_sort(names, compare_names);
  return names;
}

static gboolean
is_output_folder(const Walk *walk, const struct stat *info)
{
  return walk->output.st_ino != 0 && info->st_ino == walk->output.st_ino && info->st_dev == walk->output.st_dev;
}

static void walk_folder(Walk *walk, const char *path, const char *relative);

/* Follows links to files but not to folders, which could form a loop; pipes are read only if named as arguments. */
static void
walk_entry(Walk *walk, const char *path, const char *relative)
{
  struct stat info;

  if (lstat(path, &info) != 0) {
    int code = errno;
    if (code != ENOENT)
      ms_set_error(&add_input(walk, path, relative)->problem, MS_ERROR_IO, "'%s' cannot be examined: %s.", path,
                   ms_errno_text(code));
    return;
  }
  if (S_ISDIR(info.st_mode)) {
    if (walk->recursive && !is_output_folder(walk, &info))
      walk_folder(walk, path, relative);
    return;
  }
  if (S_ISLNK(info.st_mode) && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return;
  if ((S_ISREG(info.st_mode) || S_ISLNK(info.st_mode)) && looks_like_image(path))
    add_input(walk, path, relative)->found = TRUE;
}

static void
walk_folder(Walk *walk, const char *path, const char *relative)
{
  GError *problem = NULL;
  g_autoptr(GPtrArray) names = folder_entries(walk, path, &problem);

  if (problem)
    add_input(walk, path, relative)->problem = problem;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index(names, i);
    g_autofree char *entry = g_build_filename(path, name, NULL);
    g_autofree char *below = relative[0] ? g_build_filename(relative, name, NULL) : g_strdup(name);
    walk_entry(walk, entry, below);
  }
}

static void
expand_folder(Walk *walk, const char *path)
{
  guint before = walk->inputs->len;

  walk_folder(walk, path, "");
  if (walk->inputs->len > before)
    return;
  g_autofree char *titles = ms_codec_list_titles(ms_codec_is_readable, " or ");
  MsInput *input = add_input(walk, path, "");
  if (walk->recursive)
    ms_set_error(&input->problem, MS_ERROR_IO, "The folder '%s' holds no %s image.", path, titles);
  else
    ms_set_error(&input->problem, MS_ERROR_IO,
                 "The folder '%s' holds no %s image; --recursive looks into its folders too.", path, titles);
}

/**
 * ms_inputs_expand:
 * @arguments: (array zero-terminated=1): files, folders and MS_INPUT_STDIN
 * @recursive: whether folders inside folders are searched
 * @hidden: whether files and folders whose name starts with a dot are taken
 * @output_folder: (nullable): a folder whose files are omitted when it lies inside an input folder
 *
 * A folder stands for the images in it, recognised by their extension or first bytes. Files named as arguments are not
 * checked before they are loaded.
 *
 * Returns: (transfer full) (element-type MsInput): the images, in the order of the arguments, folders sorted by name
 */
GPtrArray *
ms_inputs_expand(const char *const *arguments, gboolean recursive, gboolean hidden, const char *output_folder)
{
  Walk walk = {.inputs = g_ptr_array_new_with_free_func(input_free), .recursive = recursive, .hidden = hidden};

  if (!output_folder || stat(output_folder, &walk.output) != 0)
    walk.output.st_ino = 0;
  for (gsize i = 0; arguments[i]; i++) {
    if (strcmp(arguments[i], MS_INPUT_STDIN) == 0) {
      add_input(&walk, MS_INPUT_STDIN, "stdin");
    } else if (g_file_test(arguments[i], G_FILE_TEST_IS_DIR)) {
      expand_folder(&walk, arguments[i]);
    } else {
      g_autofree char *base = g_path_get_basename(arguments[i]);
      add_input(&walk, arguments[i], base);
    }
  }
  return walk.inputs;
}

/**
 * ms_inputs_remove: @inputs: (element-type MsInput): removes those for which @test is %TRUE; the others keep their
 * order.
 */
void
ms_inputs_remove(GPtrArray *inputs, MsInputTest test, gpointer data)
{
  guint kept = 0;

  for (guint i = 0; i < inputs->len; i++) {
    gpointer input = g_ptr_array_index(inputs, i);
    if (test(input, data))
      continue;
    g_ptr_array_index(inputs, i) = g_ptr_array_index(inputs, kept);
    g_ptr_array_index(inputs, kept++) = input;
  }
  g_ptr_array_set_size(inputs, (int)kept);
}

/** ms_inputs_has_folder: whether any argument is a folder, so that the output must be one too. */
gboolean
ms_inputs_has_folder(const char *const *arguments)
{
  for (gsize i = 0; arguments[i]; i++)
    if (strcmp(arguments[i], MS_INPUT_STDIN) != 0 && g_file_test(arguments[i], G_FILE_TEST_IS_DIR))
      return TRUE;
  return FALSE;
}
