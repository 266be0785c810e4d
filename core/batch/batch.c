/* SPDX-License-Identifier: MIT */
#include "core/batch/batch.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "core/batch/inputs.h"
#include "core/batch/naming.h"
#include "core/batch/output-folder.h"
#include "core/batch/shard.h"
#include "core/image/codec.h"
#include "core/image/file/file-path.h"
#include "core/image/image-io.h"

/*
 * What is known while the outputs are chosen.
 * @into_folder: whether outputs are named by the template
 * @sources: (element-type MsFileId gpointer): every input
 * @claimed: output path, links followed -> input path, of this run
 * @numbers: output path -> the first number appended to it that may be free
 */
typedef struct {
  const MsBatchRequest *request;
  gboolean into_folder;
  guint seq_digits;
  GHashTable *sources;
  GHashTable *claimed;
  GHashTable *numbers;
} Planning;

/* Files of the run besides its images */

static gboolean
is_kept(const MsOwnFile *file)
{
  return file->path && strcmp(file->path, MS_INPUT_STDIN) != 0 && ms_file_path_is_kept(file->path);
}

/* Whether @path is one of @sources, under its name or through a link. */
static gboolean
is_source(const char *path, GHashTable *sources)
{
  MsFileId id;

  return ms_file_id_get(path, &id) && g_hash_table_contains(sources, &id);
}

/* Whether @file is another hard link to an output. */
static gboolean
is_linked_output(const MsOwnFile *file, GHashTable *outputs)
{
  struct stat info;
  MsFileId id, other;
  GHashTableIter each;
  gpointer output;

  if (stat(file->path, &info) != 0 || info.st_nlink < 2 || !ms_file_id_get(file->path, &id))
    return FALSE;
  g_hash_table_iter_init(&each, outputs);
  while (g_hash_table_iter_next(&each, &output, NULL))
    if (ms_file_id_get(output, &other) && ms_file_id_equal(&id, &other))
      return TRUE;
  return FALSE;
}

static gboolean
check_is_no_image(const MsOwnFile *file, GHashTable *sources, GHashTable *outputs, GError **error)
{
  g_autofree char *path = ms_file_path_resolve(file->path);

  if (!is_source(file->path, sources) && !g_hash_table_contains(outputs, path) && !is_linked_output(file, outputs))
    return TRUE;
  ms_set_error(error, MS_ERROR_USAGE, "--%s would overwrite the image '%s'; choose another file.", file->option,
               file->path);
  return FALSE;
}

/*
 * @files: (array length=n)
 * @sources: (element-type MsFileId gpointer): all inputs, also those of other shards
 * @outputs: (element-type filename gpointer): all planned outputs, as ms_file_path_resolve() spells them
 *
 * Returns: %FALSE with #MS_ERROR_USAGE when one is an image of the run, or two are the same file
 */
static gboolean
check_own_files(const MsOwnFile *files, guint n, GHashTable *sources, GHashTable *outputs, GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (!is_kept(&files[i]))
      continue;
    if (!check_is_no_image(&files[i], sources, outputs, error))
      return FALSE;
    for (guint k = 0; k < i; k++)
      if (is_kept(&files[k]) && ms_file_path_is_same(files[i].path, files[k].path)) {
        ms_set_error(error, MS_ERROR_USAGE, "--%s and --%s would both write '%s'; name a different file for each.",
                     files[k].option, files[i].option, files[i].path);
        return FALSE;
      }
  }
  return TRUE;
}

/** ms_batch_request_default: of no inputs. */
MsBatchRequest
ms_batch_request_default(void)
{
  return (MsBatchRequest){.settings = ms_settings_default(),
                          .limits = ms_image_limits_default(),
                          .save = ms_save_options_default(),
                          .shard = MS_SHARD_WHOLE,
                          .repeat = 1};
}

/* The output of an image, and what happens where a file exists already */

/* Whether a path that a person named is a pipe or device. */
static gboolean
is_stream(const char *path)
{
  return ms_file_path_is_standard(path) || ms_image_is_stream(path);
}

static const char *
extension_of(const MsBatchRequest *request, const MsBatchItem *item)
{
  const MsCodec *codec = ms_codec_get(request->save.format);

  return codec ? codec->extensions[0] : ms_codec_result_extension(item->relative);
}

/* Bytes that a name may have; a number that is appended to it needs some. */
static gsize
most_name_bytes(const MsBatchRequest *request)
{
  return NAME_MAX - (request->on_conflict == MS_CONFLICT_UNIQUE ? strlen("-4294967295") : 0);
}

/* (transfer full): the name that the template gives @item; *@shortened: whether its stem was too long for it. */
static char *
output_name(const Planning *p, const MsBatchItem *item, gboolean any_seq, gboolean *shortened)
{
  const MsBatchRequest *q = p->request;
  const char *template = q->name_template ? q->name_template : MS_NAMING_DEFAULT;
  g_autofree char *stem = ms_naming_stem(item->relative);
  MsNameParts parts = {.stem = stem,
                       .extension = extension_of(q, item),
                       .sp = q->settings.params.sp,
                       .sr = q->settings.params.sr,
                       .device = q->device ? q->device : "device",
                       .seq = item->seq,
                       .seq_digits = p->seq_digits};
  g_autofree char *shorter = ms_naming_shorten(template, &parts, most_name_bytes(q));

  parts.any_seq = any_seq;
  parts.stem = shorter ? shorter : stem;
  *shortened = shorter != NULL;
  return ms_naming_expand(template, &parts);
}

/*
 * (transfer full): the output that the template gives @item; with @any_seq,
 * MS_NAMING_ANY_NUMBER replaces its number.
 */
static char *
output_path(const Planning *p, MsBatchItem *item, gboolean any_seq)
{
  if (!p->into_folder)
    return g_strdup(p->request->output);
  g_autofree char *below = g_path_get_dirname(item->relative);
  g_autofree char *name = output_name(p, item, any_seq, &item->shortened);
  if (strcmp(below, ".") == 0)
    return g_build_filename(p->request->output, name, NULL);
  return g_build_filename(p->request->output, below, name, NULL);
}

/* The input of this run that is saved to the same file, also when the paths differ. */
static const char *
claimant(const Planning *p, const char *path)
{
  g_autofree char *resolved = ms_file_path_resolve(path);

  return g_hash_table_lookup(p->claimed, resolved);
}

static void
claim(const Planning *p, const MsBatchItem *item)
{
  g_hash_table_replace(p->claimed, ms_file_path_resolve(item->output), g_strdup(item->input));
}

/* Whether @item would be written to a link in the output folder, which is not followed. */
static gboolean
is_link(const MsBatchItem *item)
{
  return item->folder_length > 0 && !item->follow_links && g_file_test(item->output, G_FILE_TEST_IS_SYMLINK);
}

/* Continues from the last number tried for this name: starting at 1 for each image would take quadratic time. */
static void
choose_free_name(const Planning *p, MsBatchItem *item)
{
  g_autofree char *plain = g_steal_pointer(&item->output);
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(p->numbers, plain));

  item->numbered = TRUE;
  for (;; number++) {
    item->output = number > 0 ? ms_naming_numbered(plain, number) : g_strdup(plain);
    if (!claimant(p, item->output) && !g_file_test(item->output, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK))
      break;
    g_free(item->output);
  }
  g_hash_table_replace(p->numbers, g_steal_pointer(&plain), GUINT_TO_POINTER(number + 1));
}

/* Bytes of an output that name the folder of the outputs: a slash and the item's name follow. */
static gsize
prefix_length(const Planning *p)
{
  g_autofree char *name = g_build_filename(p->request->output, "x", NULL);

  return strlen(name) - strlen("x");
}

/* Refuses the names "." and "..", which a template makes of an input such as "..png". */
static gboolean
refuse_folder_name(const Planning *p, MsBatchItem *item)
{
  if (!p->into_folder || !ms_naming_is_folder(item->output + prefix_length(p)))
    return FALSE;
  ms_batch_item_fail(item, "'%s' would become '%s', which is not a file name; choose another --name.", item->input,
                     item->output);
  return TRUE;
}

/* Refuses an output that is an input of this run, under its name or through a link, whatever the options. */
static gboolean
refuse_input(const Planning *p, MsBatchItem *item)
{
  if (!is_source(item->output, p->sources))
    return FALSE;
  ms_batch_item_fail(item,
                     "'%s' is an input of this run, and an input is never "
                     "overwritten; choose another output, or another --name.",
                     item->output);
  return TRUE;
}

static gboolean
refuse_claimed(const Planning *p, MsBatchItem *item)
{
  const char *other = claimant(p, item->output);

  if (!other)
    return FALSE;
  ms_batch_item_fail(
    item, "'%s' would become '%s', and so would '%s'; give them different names with --name or --on-conflict unique.",
    item->input, item->output, other);
  return TRUE;
}

static gboolean
skips_existing(const MsBatchRequest *request)
{
  return request->on_conflict == MS_CONFLICT_SKIP || (request->resume && !request->manifest);
}

static void
refuse_link(MsBatchItem *item)
{
  ms_batch_item_fail(item,
                     "'%s' is a link, and no link in an output folder is written through; remove it, replace it with "
                     "--on-conflict overwrite, or give --follow-links.",
                     item->output);
}

static void
fail_existing(const MsBatchRequest *request, MsBatchItem *item)
{
  const gboolean has_record = request->resume && request->manifest;

  if (has_record && ms_manifest_find_owner(request->manifest, item->output))
    ms_batch_item_fail(
      item,
      "'%s' is the result of an earlier run with other settings, of another image or of this one before "
      "it changed; replace it with --on-conflict overwrite, or choose another name.",
      item->output);
  else if (has_record)
    ms_batch_item_fail(item,
                       "'%s' exists already and no manifest records it; replace it with --on-conflict overwrite, or "
                       "choose another name.",
                       item->output);
  else
    ms_batch_item_fail(item, "'%s' exists already; choose another name, or --on-conflict skip, unique or overwrite.",
                       item->output);
}

/* Refuses a pipe or device that lies in the folder of the outputs, where nobody named it. */
static gboolean
refuse_stream(MsBatchItem *item)
{
  struct stat info;

  if (item->output_is_stream || is_link(item) || stat(item->output, &info) != 0 || S_ISREG(info.st_mode) ||
      S_ISDIR(info.st_mode))
    return FALSE;
  ms_batch_item_fail(
    item,
    "'%s' is a pipe, socket or device, which is written to only where it is named itself; remove it, or "
    "choose another name.",
    item->output);
  return TRUE;
}

static void
check_existing(const Planning *p, MsBatchItem *item)
{
  struct stat info;

  if (refuse_stream(item))
    return;
  if (p->request->on_conflict == MS_CONFLICT_OVERWRITE)
    return;
  if (is_link(item)) {
    refuse_link(item);
    return;
  }
  if (item->output_is_stream || stat(item->output, &info) != 0)
    return;
  if (skips_existing(p->request)) {
    ms_batch_item_skip(item, N_("the output exists"));
    return;
  }
  fail_existing(p->request, item);
}

/* Compares names without their numbers, which change when the list grows or another number is free. */
static gboolean
is_planned_output(const Planning *p, MsBatchItem *item, const char *output)
{
  g_autofree char *planned = g_canonicalize_filename(item->output, NULL);
  g_autofree char *there = ms_file_path_resolve(output);
  g_autofree char *pattern = output_path(p, item, TRUE);
  g_autofree char *resolved = ms_file_path_resolve(pattern);
  g_autofree char *numbered = ms_naming_numbered_anyhow(resolved);

  return strcmp(planned, output) == 0 || ms_naming_matches(resolved, there) ||
         (p->request->on_conflict == MS_CONFLICT_UNIQUE && ms_naming_matches(numbered, there));
}

static gboolean
take_earlier_output(const Planning *p, MsBatchItem *item)
{
  const MsBatchRequest *q = p->request;
  const MsManifestEntry *entry = q->resume && q->manifest && !ms_file_path_is_standard(item->input)
                                   ? ms_manifest_find_done(q->manifest, item, q)
                                   : NULL;

  if (!entry || !is_planned_output(p, item, entry->output))
    return FALSE;
  g_free(item->output);
  item->output = g_strdup(entry->output);
  ms_batch_item_skip(item, N_("done by an earlier run"));
  claim(p, item);
  return TRUE;
}

/* Sets the output of @item, or fails or skips it with the reason. */
static void
choose_output(const Planning *p, MsBatchItem *item)
{
  gboolean unique = p->request->on_conflict == MS_CONFLICT_UNIQUE;

  item->output = output_path(p, item, FALSE);
  item->output_is_stream = !p->into_folder && is_stream(item->output);
  item->folder_length = p->into_folder ? prefix_length(p) : 0;
  item->follow_links = p->request->follow_links;
  item->overwrite = p->request->on_conflict == MS_CONFLICT_OVERWRITE;
  item->skip_existing = skips_existing(p->request);
  if (ms_file_path_is_standard(item->output) || refuse_folder_name(p, item) || take_earlier_output(p, item))
    return;
  if (unique && !(p->request->resume && !p->request->manifest))
    choose_free_name(p, item);
  if (refuse_claimed(p, item) || refuse_input(p, item))
    return;
  check_existing(p, item);
  claim(p, item);
}

/* Results of an earlier run among the inputs */

typedef struct {
  const Planning *planning;
  char *folder;        /* folder of the outputs, links followed, with a trailing slash */
  GHashTable *planned; /* output paths, links followed */
} Results;

static char *
planned_output(const Planning *p, const MsInput *input)
{
  g_autoptr(MsBatchItem) item = ms_batch_item_new(1, input->path, input->relative);
  g_autofree char *path = output_path(p, item, FALSE);

  return ms_file_path_resolve(path);
}

/*
 * Collects the possible outputs of all inputs, since results beside their inputs would be filtered again by the next
 * run. With --on-conflict overwrite an image of that name is refused instead, because it could be an original.
 */
static GHashTable *
planned_outputs(const Planning *p, GPtrArray *inputs)
{
  GHashTable *planned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  const MsBatchRequest *q = p->request;

  if (q->on_conflict == MS_CONFLICT_OVERWRITE || (q->name_template && ms_naming_uses(q->name_template, "seq")))
    return planned;
  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    if (!input->problem)
      g_hash_table_add(planned, planned_output(p, input));
  }
  return planned;
}

/* Input and output path are equal: never overwrite the input. */
static gboolean
is_result(const MsInput *input, gpointer data)
{
  const Results *r = data;
  const MsBatchRequest *q = r->planning->request;

  if (!input->found)
    return FALSE;
  g_autofree char *path = ms_file_path_resolve(input->path);
  if (!g_str_has_prefix(path, r->folder))
    return FALSE;
  if (q->manifest && ms_manifest_find_owner(q->manifest, path))
    return TRUE;
  if (!g_hash_table_contains(r->planned, path))
    return FALSE;
  g_autofree char *own = planned_output(r->planning, input);
  return strcmp(own, path) != 0;
}

/* Removes results of an earlier run from @inputs, where outputs lie among them. */
static void
remove_earlier_results(const Planning *p, GPtrArray *inputs)
{
  g_autofree char *within = NULL;
  Results results = {.planning = p};

  if (!p->into_folder || !ms_inputs_has_folder(p->request->inputs))
    return;
  within = g_build_filename(p->request->output, "x", NULL);
  g_autofree char *resolved = ms_file_path_resolve(within);
  results.folder = g_strndup(resolved, strlen(resolved) - 1);
  results.planned = planned_outputs(p, inputs);
  ms_inputs_remove(inputs, is_result, &results);
  g_hash_table_unref(results.planned);
  g_free(results.folder);
}

/* The plan */

/** ms_conflict_names: (array zero-terminated=1): the values of --on-conflict, in the order of MsConflict. */
const char *const ms_conflict_names[] = {"fail", "skip", "unique", "overwrite", NULL};

/*
 * Checks before any image is filtered that outputs can be written. Devices and pipes need no writable folder; links are
 * followed, as when writing.
 */
static gboolean
check_parent(const char *path, GError **error)
{
  g_autofree char *target = ms_file_path_follow(path);
  g_autofree char *folder = g_path_get_dirname(target);

  if (ms_image_is_stream(target))
    return TRUE;
  if (g_file_test(folder, G_FILE_TEST_EXISTS))
    return ms_output_folder_check(folder, error);
  ms_set_error(error, MS_ERROR_IO, "The output folder '%s' does not exist; create it first.", folder);
  return FALSE;
}

/* Checks the extension of the output, which determines its format; devices and pipes have none. */
static gboolean
check_ending(const MsBatchRequest *request, GError **error)
{
  const MsCodec *codec = ms_codec_get(ms_codec_for_output(request->output));
  struct stat info;

  if (request->save.format != MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  if (codec)
    return TRUE;
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
  if (!request->output)
    return TRUE;
  if (ms_file_path_is_standard(request->output) && ms_output_folder_has_many(request->inputs, request->recursive)) {
    ms_set_error(error, MS_ERROR_USAGE,
                 "Only one image can be written to standard output; name a folder for several with -o.");
    return FALSE;
  }
  if (ms_file_path_is_standard(request->output))
    return TRUE;
  if (ms_output_folder_is_meant(request->output, request->inputs, request->recursive))
    return ms_output_folder_check(request->output, error);
  return check_ending(request, error) && check_parent(request->output, error);
}

static void
remember_sources(Planning *p, GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    MsFileId id;
    if (!ms_file_path_is_standard(input->path) && ms_file_id_get(input->path, &id))
      g_hash_table_add(p->sources, g_memdup2(&id, sizeof id));
  }
}

static GPtrArray *
plan_items(Planning *p, GPtrArray *inputs)
{
  GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);

  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    g_autoptr(MsBatchItem) item = ms_batch_item_new(i + 1, input->path, input->relative);
    item->used = p->request->settings;
    item->input_is_stream = !input->found && is_stream(input->path);
    if (input->problem)
      ms_batch_item_fail_with(item, input->problem);
    else if (p->request->output)
      choose_output(p, item);
    if (ms_shard_takes(&p->request->shard, input->relative))
      g_ptr_array_add(items, g_steal_pointer(&item));
  }
  return items;
}

/**
 * ms_batch_plan:
 *
 * Lists the images, gives each its output and decides conflicts. Outputs of all shards are considered, so that two
 * shards never write to one file; the items of this shard alone are returned.
 *
 * Returns: (transfer full) (element-type MsBatchItem): pending, skipped and failed items in order, or %NULL with
 *   @error set when the output itself is wrong (#MS_ERROR_USAGE, #MS_ERROR_IO), or one of the run's own files is an
 *   image of any shard
 */
GPtrArray *
ms_batch_plan(const MsBatchRequest *request, GError **error)
{
  Planning planning = {.request = request};

  if (request->name_template && !ms_naming_check(request->name_template, error))
    return NULL;
  if (!check_output(request, error))
    return NULL;
  planning.into_folder = ms_output_folder_is_meant(request->output, request->inputs, request->recursive);
  g_autoptr(GPtrArray) inputs = ms_inputs_expand(request->inputs, request->recursive, request->hidden,
                                                 planning.into_folder ? request->output : NULL);
  g_autoptr(GHashTable) sources = ms_file_id_table_new();
  g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) claimed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  remove_earlier_results(&planning, inputs);
  planning.seq_digits = (guint)g_snprintf(NULL, 0, "%u", inputs->len);
  planning.sources = sources;
  planning.claimed = claimed;
  planning.numbers = numbers;
  remember_sources(&planning, inputs);
  g_autoptr(GPtrArray) items = plan_items(&planning, inputs);
  if (!check_own_files(request->own_files, request->n_own_files, sources, claimed, error))
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
    wanted = ms_codec_for_output(item->output);
  return wanted == MS_IMAGE_FORMAT_AUTO ? ms_codec_for_result(item->input)->format : wanted;
}
