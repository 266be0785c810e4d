/* SPDX-License-Identifier: MIT */
#include "core/batch/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/batch/naming.h"
#include "core/image/file-path.h"

typedef struct {
  const MsBatchRequest *request;
  gboolean into_folder;
  guint seq_digits;
  GHashTable *sources; /* MsFileId of every input */
  GHashTable *claimed; /* output path, links followed -> input path, of this run */
  GHashTable *numbers; /* output path -> the first number behind it that may be free */
} Planning;

static gboolean
is_std(const char *path)
{
  return strcmp(path, MS_INPUT_STDIN) == 0;
}

/* A trailing slash says "folder" also where there is none yet. */
static gboolean
names_folder(const char *path)
{
  return g_str_has_suffix(path, G_DIR_SEPARATOR_S) || g_file_test(path, G_FILE_TEST_IS_DIR);
}

static gboolean
check_folder(const char *path, GError **error)
{
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    g_set_error(error, MS_ERROR, MS_ERROR_IO, "The output folder '%s' does not exist; create it first.",
                path);
  else if (!g_file_test(path, G_FILE_TEST_IS_DIR))
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "The output '%s' is a file, but a folder is needed for several images.", path);
  else if (access(path, W_OK | X_OK) != 0)
    g_set_error(error, MS_ERROR, MS_ERROR_IO,
                "The output folder '%s' cannot be written to: %s; choose another folder.", path,
                g_strerror(errno));
  else
    return TRUE;
  return FALSE;
}

/* Found out before hours of work, not after. Devices and pipes are written in place, so their folder stays as it is; a link is
 * followed, as it is when writing. */
static gboolean
check_parent(const char *path, GError **error)
{
  g_autofree char *target = ms_file_path_follow(path);
  g_autofree char *folder = g_path_get_dirname(target);
  struct stat info;

  if (stat(target, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return TRUE;

  return check_folder(folder, error);
}

/* A file is named after its format; devices and pipes have no ending to go by. */
static gboolean
check_ending(const MsBatchRequest *request, GError **error)
{
  struct stat info;

  if (request->format != MS_IMAGE_FORMAT_AUTO ||
      ms_image_format_from_path(request->output) != MS_IMAGE_FORMAT_AUTO)
    return TRUE;
  if (stat(request->output, &info) == 0 && !S_ISREG(info.st_mode))
    return TRUE;
  g_set_error(
      error, MS_ERROR, MS_ERROR_USAGE,
      "The name of the output '%s' says no format; end it in .png or .jpg, or give --format png or jpeg.",
      request->output);
  return FALSE;
}

static gboolean
check_output(const MsBatchRequest *request, GError **error)
{
  guint n = g_strv_length((char **)request->inputs);
  gboolean many = n > 1 || request->recursive || ms_inputs_has_folder(request->inputs);

  if (!request->output)
    return TRUE;
  if (is_std(request->output) && many) {
    g_set_error(error, MS_ERROR, MS_ERROR_USAGE,
                "Standard output takes one image; name a folder for several with -o.");
    return FALSE;
  }
  if (is_std(request->output))
    return TRUE;
  if (many || names_folder(request->output))
    return check_folder(request->output, error);
  return check_ending(request, error) && check_parent(request->output, error);
}

static char *
output_name(const Planning *p, const MsBatchItem *item, gboolean any_seq)
{
  const MsBatchRequest *q = p->request;
  g_autofree char *stem = ms_naming_stem(item->relative);
  const char *extension = ms_naming_extension(item->relative);

  if (q->format != MS_IMAGE_FORMAT_AUTO)
    extension = ms_image_format_extension(q->format);
  else if (ms_image_format_from_path(item->relative) == MS_IMAGE_FORMAT_AUTO)
    extension = ms_image_format_extension(MS_IMAGE_FORMAT_PNG);
  MsNameParts parts = {.stem = stem,
                       .extension = extension,
                       .sp = q->settings.params.sp,
                       .sr = q->settings.params.sr,
                       .device = q->device ? q->device : "device",
                       .seq = item->seq,
                       .seq_digits = p->seq_digits,
                       .any_seq = any_seq};
  return ms_naming_expand(q->name_template ? q->name_template : MS_NAMING_DEFAULT, &parts);
}

static char *
output_path(const Planning *p, const MsBatchItem *item, gboolean any_seq)
{
  if (!p->into_folder)
    return g_strdup(p->request->output);
  g_autofree char *below = g_path_get_dirname(item->relative);
  g_autofree char *name = output_name(p, item, any_seq);
  if (strcmp(below, ".") == 0)
    return g_build_filename(p->request->output, name, NULL);
  return g_build_filename(p->request->output, below, name, NULL);
}

/* What else of this run goes to the same file, by whatever path. */
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

static gboolean
is_taken(const Planning *p, const char *path)
{
  return claimant(p, path) || g_file_test(path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);
}

/* What was found taken once stays so; looking from the start each time would take the square of the number of images. */
static void
choose_free_name(const Planning *p, MsBatchItem *item)
{
  g_autofree char *plain = g_steal_pointer(&item->output);
  guint number = GPOINTER_TO_UINT(g_hash_table_lookup(p->numbers, plain));

  item->numbered = TRUE;
  for (;; number++) {
    item->output = number > 0 ? ms_naming_numbered(plain, number) : g_strdup(plain);
    if (!is_taken(p, item->output))
      break;
    g_free(item->output);
  }
  g_hash_table_replace(p->numbers, g_steal_pointer(&plain), GUINT_TO_POINTER(number + 1));
}

/* The stem of "..png" is ".", and a template of it alone would name the folder. */
static gboolean
refuse_folder_name(const Planning *p, MsBatchItem *item)
{
  g_autofree char *name = g_path_get_basename(item->output);

  if (!p->into_folder || !ms_naming_is_folder(name))
    return FALSE;
  g_autofree char *sentence = g_strdup_printf("'%s' would become '%s', which is no name for a file; choose another --name.",
                                              item->input, item->output);
  ms_batch_item_fail(item, sentence);
  return TRUE;
}

/* Whatever the option says, an input is never replaced: not its own, not another's, not through a link. */
static gboolean
refuse_input(const Planning *p, MsBatchItem *item)
{
  MsFileId id;

  if (!ms_file_id_get(item->output, &id) || !g_hash_table_contains(p->sources, &id))
    return FALSE;
  g_autofree char *sentence = g_strdup_printf("'%s' is an input of this run, and an input is never "
                                              "overwritten; choose another output, or another --name.",
                                              item->output);
  ms_batch_item_fail(item, sentence);
  return TRUE;
}

static gboolean
refuse_claimed(const Planning *p, MsBatchItem *item)
{
  const char *other = claimant(p, item->output);

  if (!other)
    return FALSE;
  g_autofree char *sentence = g_strdup_printf(
      "'%s' would become '%s', and so would '%s'; tell them apart with --name or --on-conflict unique.",
      item->input, item->output, other);
  ms_batch_item_fail(item, sentence);
  return TRUE;
}

/* A run that was killed may have saved this and not said so; the result is made again and compared with what is there. */
static gboolean
is_perhaps_saved(const Planning *p, const MsBatchItem *item)
{
  const MsBatchRequest *q = p->request;

  return q->resume && q->manifest && !ms_manifest_has_output(q->manifest, item->output);
}

static void
settle_existing(const Planning *p, MsBatchItem *item)
{
  g_autofree char *sentence = NULL;
  struct stat info;

  if (stat(item->output, &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
    return;
  if (p->request->on_conflict == MS_CONFLICT_OVERWRITE)
    return;
  if (p->request->on_conflict == MS_CONFLICT_SKIP || (p->request->resume && !p->request->manifest)) {
    ms_batch_item_skip(item, "the output exists");
    return;
  }
  item->perhaps_saved = S_ISREG(info.st_mode) && is_perhaps_saved(p, item);
  if (item->perhaps_saved)
    return;
  sentence = g_strdup_printf(
      "'%s' exists already; choose another name, or --on-conflict skip, unique or overwrite.", item->output);
  ms_batch_item_fail(item, sentence);
}

/* Numbers may have been others then: images came to the list, or free names were looked for. */
static gboolean
is_planned_output(const Planning *p, const MsBatchItem *item, const char *output)
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
settle_resumed(const Planning *p, MsBatchItem *item)
{
  const MsBatchRequest *q = p->request;
  MsSaveOptions save = {.format = ms_batch_item_format(item, q->format), .quality = q->quality};
  const MsManifestEntry *entry = q->resume && q->manifest && !is_std(item->input)
                                     ? ms_manifest_find_done(q->manifest, item->input, &q->settings, &save)
                                     : NULL;

  if (!entry || !is_planned_output(p, item, entry->output))
    return FALSE;
  g_free(item->output);
  item->output = g_strdup(entry->output);
  ms_batch_item_skip(item, "done by an earlier run");
  claim(p, item);
  return TRUE;
}

static void
settle_output(const Planning *p, MsBatchItem *item)
{
  gboolean unique = p->request->on_conflict == MS_CONFLICT_UNIQUE;

  item->output = output_path(p, item, FALSE);
  item->overwrite = p->request->on_conflict == MS_CONFLICT_OVERWRITE;
  if (is_std(item->output) || refuse_folder_name(p, item) || settle_resumed(p, item))
    return;
  if (unique && !(p->request->resume && !p->request->manifest))
    choose_free_name(p, item);
  if (refuse_claimed(p, item) || refuse_input(p, item))
    return;
  settle_existing(p, item);
  claim(p, item);
}

static void
remember_sources(Planning *p, GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    MsFileId id;
    if (!is_std(input->path) && ms_file_id_get(input->path, &id))
      g_hash_table_add(p->sources, g_memdup2(&id, sizeof id));
  }
}

typedef struct {
  const Planning *planning;
  char *folder;        /* of the outputs, links followed, with a slash behind */
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
 * Results beside their inputs would be filtered again by the next run. With --on-conflict overwrite an image of that name is
 * refused instead: it could be an original. Numbers in the names say nothing about where they come from.
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
    if (!input->trouble)
      g_hash_table_add(planned, planned_output(p, input));
  }
  return planned;
}

/* An image that would become itself is no result but an original in the way. */
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
  if (q->manifest && ms_manifest_has_output(q->manifest, path))
    return TRUE;
  if (!g_hash_table_contains(r->planned, path))
    return FALSE;
  g_autofree char *own = planned_output(r->planning, input);
  return strcmp(own, path) != 0;
}

static void
leave_out_results(const Planning *p, GPtrArray *inputs)
{
  g_autofree char *within = NULL;
  Results results = {.planning = p};

  if (!p->into_folder || !ms_inputs_has_folder(p->request->inputs))
    return;
  within = g_build_filename(p->request->output, "x", NULL);
  g_autofree char *resolved = ms_file_path_resolve(within);
  results.folder = g_strndup(resolved, strlen(resolved) - 1);
  results.planned = planned_outputs(p, inputs);
  ms_inputs_leave_out(inputs, is_result, &results);
  g_hash_table_unref(results.planned);
  g_free(results.folder);
}

static guint
digits_of(guint n)
{
  guint digits = 1;

  for (; n >= 10; n /= 10)
    digits++;
  return digits;
}

static GPtrArray *
plan_items(Planning *p, GPtrArray *inputs)
{
  GPtrArray *items = g_ptr_array_new_with_free_func((GDestroyNotify)ms_batch_item_free);

  for (guint i = 0; i < inputs->len; i++) {
    const MsInput *input = g_ptr_array_index(inputs, i);
    g_autoptr(MsBatchItem) item = ms_batch_item_new(i + 1, input->path, input->relative);
    item->used = p->request->settings;
    if (input->trouble)
      ms_batch_item_fail(item, input->trouble);
    else if (p->request->output)
      settle_output(p, item);
    if (ms_shard_takes(&p->request->shard, input->relative))
      g_ptr_array_add(items, g_steal_pointer(&item));
  }
  return items;
}

/**
 * ms_batch_plan:
 *
 * Lists the images, gives each its output and settles conflicts. Outputs of all shards are considered, so that two shards never
 * write to one file; the items of this shard alone are returned.
 *
 * Returns: (transfer full) (element-type MsBatchItem): pending, skipped and failed items in order, or %NULL with @error set when
 *   the output itself is wrong (#MS_ERROR_USAGE, #MS_ERROR_IO), or one of the run's own files is an image of any shard
 */
GPtrArray *
ms_batch_plan(const MsBatchRequest *request, GError **error)
{
  Planning planning = {.request = request};

  if (request->name_template && !ms_naming_check(request->name_template, error))
    return NULL;
  if (!check_output(request, error))
    return NULL;
  planning.into_folder = request->output && !is_std(request->output) && names_folder(request->output);
  g_autoptr(GPtrArray) inputs =
      ms_inputs_expand(request->inputs, request->recursive, planning.into_folder ? request->output : NULL);
  g_autoptr(GHashTable) sources = ms_file_id_table_new();
  g_autoptr(GHashTable) numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) claimed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  leave_out_results(&planning, inputs);
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

/** ms_batch_item_format: the format to save in: @wanted, else by the output's name, else by the input's, else PNG. */
MsImageFormat
ms_batch_item_format(const MsBatchItem *item, MsImageFormat wanted)
{
  if (wanted == MS_IMAGE_FORMAT_AUTO && item->output)
    wanted = ms_image_format_from_path(item->output);
  if (wanted == MS_IMAGE_FORMAT_AUTO)
    wanted = ms_image_format_from_path(item->input);
  return wanted == MS_IMAGE_FORMAT_AUTO ? MS_IMAGE_FORMAT_PNG : wanted;
}
