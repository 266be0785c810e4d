/* SPDX-License-Identifier: MIT */
#include "core/batch/conflicts.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/batch/naming.h"
#include "core/image/codec.h"
#include "core/image/file/file-path.h"

static char *
output_name(const MsPlanning *p, const MsBatchItem *item, gboolean any_seq)
{
  const MsBatchRequest *q = p->request;
  g_autofree char *stem = ms_naming_stem(item->relative);
  const char *extension = ms_naming_extension(item->relative);

  if (q->format != MS_IMAGE_FORMAT_AUTO)
    extension = ms_codec_get(q->format)->extensions[0];
  else if (ms_codec_from_path(item->relative) == MS_IMAGE_FORMAT_AUTO)
    extension = ms_codec_get(MS_IMAGE_FORMAT_DEFAULT)->extensions[0];
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

/**
 * ms_planning_output_path: (transfer full): the output that the template gives @item; with @any_seq,
 * MS_NAMING_ANY_NUMBER replaces its number.
 */
char *
ms_planning_output_path(const MsPlanning *p, const MsBatchItem *item, gboolean any_seq)
{
  if (!p->into_folder)
    return g_strdup(p->request->output);
  g_autofree char *below = g_path_get_dirname(item->relative);
  g_autofree char *name = output_name(p, item, any_seq);
  if (strcmp(below, ".") == 0)
    return g_build_filename(p->request->output, name, NULL);
  return g_build_filename(p->request->output, below, name, NULL);
}

/* The input of this run that is saved to the same file, also when the paths differ. */
static const char *
claimant(const MsPlanning *p, const char *path)
{
  g_autofree char *resolved = ms_file_path_resolve(path);

  return g_hash_table_lookup(p->claimed, resolved);
}

static void
claim(const MsPlanning *p, const MsBatchItem *item)
{
  g_hash_table_replace(p->claimed, ms_file_path_resolve(item->output), g_strdup(item->input));
}

static gboolean
is_input(const MsPlanning *p, const char *path)
{
  MsFileId id;

  return ms_file_id_get(path, &id) && g_hash_table_contains(p->sources, &id);
}

static gboolean
is_taken(const MsPlanning *p, const char *path)
{
  return claimant(p, path) || g_file_test(path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);
}

/* Whether @item would be written to a link in the output folder, which is not followed. */
static gboolean
is_link(const MsBatchItem *item)
{
  return item->folder_length > 0 && g_file_test(item->output, G_FILE_TEST_IS_SYMLINK);
}

/*
 * A run that was killed may have saved this output without recording it; the result is computed again and compared with
 * the file.
 */
static gboolean
is_perhaps_saved(const MsPlanning *p, const MsBatchItem *item)
{
  const MsBatchRequest *q = p->request;

  return q->resume && q->manifest && !is_link(item) && g_file_test(item->output, G_FILE_TEST_IS_REGULAR) &&
         !ms_manifest_has_output(q->manifest, item->output);
}

/* Picks a numbered name only if the existing file is not our own earlier result. */
static gboolean
takes_own_name(const MsPlanning *p, MsBatchItem *item)
{
  item->numbered = !claimant(p, item->output) && !is_input(p, item->output) && is_perhaps_saved(p, item);
  return item->numbered;
}

/* Continues from the last number tried for this name: starting at 1 for each image would take quadratic time. */
static void
choose_free_name(const MsPlanning *p, MsBatchItem *item)
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

/* Refuses the names "." and "..", which a template makes of an input such as "..png". */
static gboolean
refuse_folder_name(const MsPlanning *p, MsBatchItem *item)
{
  g_autofree char *name = g_path_get_basename(item->output);

  if (!p->into_folder || !ms_naming_is_folder(name))
    return FALSE;
  ms_batch_item_fail(item, "'%s' would become '%s', which is not a file name; choose another --name.", item->input,
                     item->output);
  return TRUE;
}

/* Refuses an output that is an input of this run, under its name or through a link, whatever the options. */
static gboolean
refuse_input(const MsPlanning *p, MsBatchItem *item)
{
  if (!is_input(p, item->output))
    return FALSE;
  ms_batch_item_fail(item,
                     "'%s' is an input of this run, and an input is never "
                     "overwritten; choose another output, or another --name.",
                     item->output);
  return TRUE;
}

static gboolean
refuse_claimed(const MsPlanning *p, MsBatchItem *item)
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
  if (request->resume && request->manifest && ms_manifest_has_output(request->manifest, item->output))
    ms_batch_item_fail(item,
                       "'%s' is the result of an earlier run, after which its input, the settings or the file itself "
                       "changed; replace it with --on-conflict overwrite, or choose another name.",
                       item->output);
  else
    ms_batch_item_fail(item, "'%s' exists already; choose another name, or --on-conflict skip, unique or overwrite.",
                       item->output);
}

static void
settle_existing(const MsPlanning *p, MsBatchItem *item)
{
  struct stat info;

  if (p->request->on_conflict == MS_CONFLICT_OVERWRITE)
    return;
  if (is_link(item)) {
    refuse_link(item);
    return;
  }
  if (stat(item->output, &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
    return;
  if (skips_existing(p->request)) {
    ms_batch_item_skip(item, N_("the output exists"));
    return;
  }
  item->perhaps_saved = is_perhaps_saved(p, item);
  if (item->perhaps_saved)
    return;
  fail_existing(p->request, item);
}

/* Compares names without their numbers, which change when the list grows or another number is free. */
static gboolean
is_planned_output(const MsPlanning *p, const MsBatchItem *item, const char *output)
{
  g_autofree char *planned = g_canonicalize_filename(item->output, NULL);
  g_autofree char *there = ms_file_path_resolve(output);
  g_autofree char *pattern = ms_planning_output_path(p, item, TRUE);
  g_autofree char *resolved = ms_file_path_resolve(pattern);
  g_autofree char *numbered = ms_naming_numbered_anyhow(resolved);

  return strcmp(planned, output) == 0 || ms_naming_matches(resolved, there) ||
         (p->request->on_conflict == MS_CONFLICT_UNIQUE && ms_naming_matches(numbered, there));
}

static gboolean
settle_resumed(const MsPlanning *p, MsBatchItem *item)
{
  const MsBatchRequest *q = p->request;
  MsSaveOptions save = {.format = ms_batch_item_format(item, q->format), .quality = q->quality};
  const MsManifestEntry *entry =
    q->resume && q->manifest && !ms_file_path_is_standard(item->input)
      ? ms_manifest_find_done(q->manifest, item->input, &q->settings, &save, q->resume == MS_RESUME_HASH)
      : NULL;

  if (!entry || !is_planned_output(p, item, entry->output))
    return FALSE;
  g_free(item->output);
  item->output = g_strdup(entry->output);
  ms_batch_item_skip(item, N_("done by an earlier run"));
  claim(p, item);
  return TRUE;
}

/* The path is the folder, a slash, and what the template and the input's own folders make of it. */
static gsize
folder_length(const MsPlanning *p)
{
  g_autofree char *name = g_build_filename(p->request->output, "x", NULL);

  return p->into_folder && !p->request->follow_links ? strlen(name) - strlen("x") : 0;
}

/** ms_planning_settle: sets the output of @item, or fails or skips it with the reason. */
void
ms_planning_settle(const MsPlanning *p, MsBatchItem *item)
{
  gboolean unique = p->request->on_conflict == MS_CONFLICT_UNIQUE;

  item->output = ms_planning_output_path(p, item, FALSE);
  item->folder_length = folder_length(p);
  item->overwrite = p->request->on_conflict == MS_CONFLICT_OVERWRITE;
  item->skip_existing = skips_existing(p->request);
  if (ms_file_path_is_standard(item->output) || refuse_folder_name(p, item) || settle_resumed(p, item))
    return;
  if (unique && !(p->request->resume && !p->request->manifest) && !takes_own_name(p, item))
    choose_free_name(p, item);
  if (refuse_claimed(p, item) || refuse_input(p, item))
    return;
  settle_existing(p, item);
  claim(p, item);
}
