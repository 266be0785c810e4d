/* SPDX-License-Identifier: MIT */
#include "core/batch/batch.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/batch/conflicts.h"
#include "core/batch/naming.h"
#include "core/batch/planning.h"
#include "core/batch/results.h"
#include "core/batch/shard-balance.h"
#include "core/image/codec.h"
#include "core/image/file/file-path.h"
#include "core/image/image-drain.h"

/** ms_conflict_names: (array zero-terminated=1): the values of --on-conflict, in the order of MsConflict. */
const char *const ms_conflict_names[] = {"fail", "skip", "unique", "overwrite", NULL};

/* Whether the output is a folder: an existing one, or a path that ends with a slash. */
static gboolean
names_folder(const char *path)
{
  return g_str_has_suffix(path, G_DIR_SEPARATOR_S) || g_file_test(path, G_FILE_TEST_IS_DIR);
}

static gboolean
check_folder(const char *path, GError **error)
{
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    ms_set_error(error, MS_ERROR_IO, "The output folder '%s' does not exist; create it first.", path);
  else if (!g_file_test(path, G_FILE_TEST_IS_DIR))
    ms_set_error(error, MS_ERROR_USAGE, "The output '%s' is a file, but a folder is needed for several images.", path);
  else if (access(path, W_OK | X_OK) != 0)
    ms_set_error(error, MS_ERROR_IO, "The output folder '%s' cannot be written to: %s; choose another folder.", path,
                 g_strerror(errno));
  else
    return TRUE;
  return FALSE;
}

/*
 * Checks before any image is filtered that outputs can be written. Devices and pipes need no writable folder; links are
 * followed, as when writing.
 */
static gboolean
check_parent(const char *path, GError **error)
{
  g_autofree char *target = ms_file_path_follow(path);
  g_autofree char *folder = g_path_get_dirname(target);

  return ms_image_is_stream(target) || check_folder(folder, error);
}

/* Checks the extension of the output, which determines its format; devices and pipes have none. */
static gboolean
check_ending(const MsBatchRequest *request, GError **error)
{
  const MsCodec *codec = ms_codec_get(ms_codec_from_path(request->output));
  struct stat info;

  if (request->format != MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  if (codec)
    return ms_codec_check_built(codec, request->output, error);
  if (stat(request->output, &info) == 0 && !S_ISREG(info.st_mode))
    return TRUE;
  g_autofree char *extensions = ms_codec_list_extensions();
  ms_set_error(error, MS_ERROR_USAGE,
               "The name of the output '%s' has no extension of a known format; end it in %s, or give --format.",
               request->output, extensions);
  return FALSE;
}

static gboolean
check_output(const MsBatchRequest *request, GError **error)
{
  guint n = g_strv_length((char **)request->inputs);
  const MsCodec *wanted = ms_codec_get(request->format);
  gboolean many = n > 1 || request->recursive || ms_inputs_has_folder(request->inputs);

  if (!request->output)
    return TRUE;
  if (wanted && !ms_codec_check_built(wanted, request->output, error))
    return FALSE;
  if (ms_file_path_is_standard(request->output) && many) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "Only one image can be written to standard output; name a folder for several with -o.");
    return FALSE;
  }
  if (ms_file_path_is_standard(request->output))
    return TRUE;
  if (many || names_folder(request->output))
    return check_folder(request->output, error);
  return check_ending(request, error) && check_parent(request->output, error);
}

static void
remember_sources(MsPlanning *p, GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    MsFileId id;
    if (!ms_file_path_is_standard(input->path) && ms_file_id_get(input->path, &id))
      g_hash_table_add(p->sources, g_memdup2(&id, sizeof id));
  }
}

static guint
digits_of(guint n)
{
  guint digits = 1;

  for (; n >= 10; n /= 10)
    digits++;
  return digits;
}

/* @balanced: the shard that ms_shard_balance() gives the input, 0 where its name decides. */
static gboolean
is_in_shard(const MsBatchRequest *request, const MsInput *input, guint balanced)
{
  return balanced > 0 ? balanced == request->shard.index : ms_shard_takes(&request->shard, input->relative);
}

static GPtrArray *
plan_items(MsPlanning *p, GPtrArray *inputs)
{
  GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);
  const MsBatchRequest *q = p->request;
  gboolean balanced = q->shard.count > 1 && q->shard_by == MS_SHARD_BY_PIXELS;
  g_autofree guint *shards = balanced ? ms_shard_balance(inputs, q->shard.count, q->limits) : NULL;

  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    g_autoptr(MsBatchItem) item = ms_batch_item_new(i + 1, input->path, input->relative);
    item->used = p->request->settings;
    if (input->problem)
      ms_batch_item_fail_with(item, input->problem);
    else if (p->request->output)
      ms_planning_settle(p, item);
    if (is_in_shard(p->request, input, shards ? shards[i] : 0))
      g_ptr_array_add(items, g_steal_pointer(&item));
  }
  return items;
}

/**
 * ms_batch_plan:
 *
 * Lists the images, gives each its output and settles conflicts. Outputs of all shards are considered, so that two
 * shards never write to one file; the items of this shard alone are returned.
 *
 * Returns: (transfer full) (element-type MsBatchItem): pending, skipped and failed items in order, or %NULL with
 *   @error set when the output itself is wrong (#MS_ERROR_USAGE, #MS_ERROR_IO), or one of the run's own files is an
 *   image of any shard
 */
GPtrArray *
ms_batch_plan(const MsBatchRequest *request, GError **error)
{
  MsPlanning planning = {.request = request};

  if (request->name_template && !ms_naming_check(request->name_template, error))
    return NULL;
  if (!check_output(request, error))
    return NULL;
  planning.into_folder = request->output && !ms_file_path_is_standard(request->output) && names_folder(request->output);
  g_autoptr(GPtrArray) inputs = ms_inputs_expand(request->inputs, request->recursive, request->hidden,
                                                 planning.into_folder ? request->output : NULL);
  g_autoptr(GHashTable) sources = ms_file_id_table_new();
  g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) claimed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  ms_planning_leave_out_results(&planning, inputs);
  planning.seq_digits = digits_of(inputs->len);
  planning.sources = sources;
  planning.claimed = claimed;
  planning.numbers = numbers;
  remember_sources(&planning, inputs);
  g_autoptr(GPtrArray) items = plan_items(&planning, inputs);
  if (!ms_own_files_check(request->own_files, request->n_own_files, sources, claimed, error))
    return NULL;
  return g_steal_pointer(&items);
}

/**
 * ms_batch_item_format: the output's format: @wanted, else that of the output's extension, else that of the input's,
 * else %MS_IMAGE_FORMAT_DEFAULT.
 */
MsImageFormat
ms_batch_item_format(const MsBatchItem *item, MsImageFormat wanted)
{
  if (wanted == MS_IMAGE_FORMAT_AUTO && item->output)
    wanted = ms_codec_from_path(item->output);
  if (wanted == MS_IMAGE_FORMAT_AUTO)
    wanted = ms_codec_from_path(item->input);
  return wanted == MS_IMAGE_FORMAT_AUTO ? MS_IMAGE_FORMAT_DEFAULT : wanted;
}
