/* SPDX-License-Identifier: MIT */
#include "core/batch/output-folder.h"

#include <errno.h>

#include "core/batch/inputs.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/image/codec.h"
#include "core/image/file/atomic-file.h"
#include "core/image/file/file-path.h"

/** ms_output_folder_has_many: whether the inputs of a batch may be several images. */
gboolean
ms_output_folder_has_many(const char *const *inputs, gboolean recursive)
{
  return g_strv_length((char **)inputs) > 1 || recursive || ms_inputs_has_folder(inputs);
}

/**
 * ms_output_folder_is_meant:
 * @output: (nullable): as the user names it
 *
 * Returns: whether outputs get names in the folder @output, which need not exist: it ends in a slash, is a folder, or
 *   there may be several inputs
 */
gboolean
ms_output_folder_is_meant(const char *output, const char *const *inputs, gboolean recursive)
{
  if (!output || ms_file_path_is_standard(output))
    return FALSE;
  return g_str_has_suffix(output, G_DIR_SEPARATOR_S) || g_file_test(output, G_FILE_TEST_IS_DIR) ||
         ms_output_folder_has_many(inputs, recursive);
}

/* Refuses a folder that is named like an image and neither exists nor ends in a slash: a file was meant. */
static gboolean
check_name(const char *path, GError **error)
{
  if (g_str_has_suffix(path, G_DIR_SEPARATOR_S) || g_file_test(path, G_FILE_TEST_EXISTS) ||
      ms_codec_for_output(path) == MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE,
               "The output '%s' is named like one image, but a folder is needed for several; end it in / to make a "
               "folder of that name.",
               path);
  return FALSE;
}

/**
 * ms_output_folder_check:
 * @path: a folder, which the run makes where it is missing
 *
 * Returns: %FALSE with #MS_ERROR_USAGE where a file has its name or was meant by it, or with #MS_ERROR_IO where nothing
 *   can be written to it or to the nearest folder above it that exists
 */
gboolean
ms_output_folder_check(const char *path, GError **error)
{
  g_autofree char *nearest = ms_folder_find_existing(path);

  if (!check_name(path, error))
    return FALSE;
  if (ms_folder_is_writable(nearest))
    return TRUE;
  if (errno == ENOTDIR)
    ms_set_error(error, MS_ERROR_USAGE, "The output '%s' needs a folder, but '%s' is a file.", path, nearest);
  else
    ms_set_error(error, MS_ERROR_IO, "The output folder '%s' cannot be written to: %s; choose another folder.", nearest,
                 ms_errno_text(errno));
  return FALSE;
}

/**
 * ms_output_folder_hold:
 * @items: (element-type MsBatchItem): whose outputs have one folder, if any
 *
 * Remembers in each item which folder that is, so that no other one gets outputs while the batch runs.
 *
 * Returns: the open folder, or -1 where there is none yet
 */
int
ms_output_folder_hold(GPtrArray *items)
{
  MsAtomicPlace place = {0};
  int fd = -1;

  for (guint i = 0; i < items->len; i++) {
    MsBatchItem *item = g_ptr_array_index(items, i);
    if (item->folder_length == 0 || item->status != MS_ITEM_PENDING || item->folder.inode != 0)
      continue;
    g_autofree char *folder = g_strndup(item->output, item->folder_length);
    place.folder = folder;
    if (fd < 0 && (fd = ms_atomic_place_hold(&place)) < 0)
      return fd;
    item->folder = place.id;
  }
  return fd;
}

/**
 * ms_output_folder_remove_empty:
 * @path: the folder of the outputs
 * @items: (element-type MsBatchItem): of the run, which has ended
 * @made: the first folder that was made on the way to @path
 *
 * Removes the folders that were made for the outputs of a run if no file is in them.
 */
void
ms_output_folder_remove_empty(const char *path, GPtrArray *items, const char *made)
{
  if (ms_batch_count(items).done > 0)
    return;
  for (guint i = 0; i < items->len; i++) {
    const MsBatchItem *item = g_ptr_array_index(items, i);
    g_autofree char *folder = item->output ? g_path_get_dirname(item->output) : NULL;
    if (folder)
      ms_folder_remove_empty(folder, made);
  }
  ms_folder_remove_empty(path, made);
}
